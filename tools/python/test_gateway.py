"""Kernels behind a Jupyter server, by its REST API and websocket, as JupyterLab and a gateway's clients have them: the kernelspec "gondola",
and one of each form of bin/gondola install."""
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
import uuid
import venv

import websocket

WAIT = 60  # seconds, for whatever a test waits for


class Server:
    """A Jupyter server of its own folder, on loopback with a token."""

    def __init__(self, python=sys.executable, **more):
        self.folder = tempfile.mkdtemp(prefix="gondola-gateway-")
        self.token = secrets.token_hex(8)
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        env = {**os.environ, "JUPYTER_TOKEN": self.token, "JUPYTER_CONFIG_DIR": self.folder + "/config",
               "JUPYTER_RUNTIME_DIR": self.folder + "/run", "GONDOLA_HISTORY": "off", **more}
        self.log = open(self.folder + "/log", "w+")
        self.process = subprocess.Popen(
            [python, "-m", "jupyter_server", "--ServerApp.ip=127.0.0.1", f"--ServerApp.port={self.port}",
             "--ServerApp.port_retries=0", f"--ServerApp.root_dir={self.folder}", "--ServerApp.open_browser=False", "--allow-root"],
            env=env, stdout=self.log, stderr=self.log)
        end = time.monotonic() + WAIT
        while True:
            try:
                self.ask("GET", "/api/status")
                return
            except urllib.error.URLError:
                if self.process.poll() is not None or time.monotonic() > end:
                    self.log.seek(0)
                    raise RuntimeError("the Jupyter server does not answer:\n" + self.log.read())
                time.sleep(0.1)

    def ask(self, method, path, body=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": "token " + self.token, "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=WAIT) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def stop(self):
        self.process.terminate()
        self.process.wait(WAIT)
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Channels:
    """The websocket of a kernel: all of its channels in one."""

    def __init__(self, server, kernel):
        self.session = uuid.uuid4().hex
        self.socket = websocket.create_connection(
            f"ws://127.0.0.1:{server.port}/api/kernels/{kernel}/channels?session_id={self.session}&token={server.token}", timeout=WAIT)

    def send(self, channel, kind, content, parent=None):
        number = uuid.uuid4().hex
        header = {"msg_id": number, "msg_type": kind, "session": self.session, "username": "", "version": "5.3", "date": ""}
        self.socket.send(json.dumps({"channel": channel, "header": header, "parent_header": parent or {}, "metadata": {},
                                     "content": content, "buffers": []}))
        return number

    def take(self, wanted):
        """Messages up to the first that is wanted."""
        got = []
        while not got or not wanted(got[-1]):
            got.append(json.loads(self.socket.recv()))
        return got

    def execute(self, code, **more):
        return self.send("shell", "execute_request", {"code": code, "silent": False, "store_history": True, "user_expressions": {},
                                                      "allow_stdin": True, "stop_on_error": True, **more})

    def finish(self, number):
        """The messages of a request up to both its reply and its idle."""
        mine, reply, idle = [], False, False
        while not (reply and idle):
            m = json.loads(self.socket.recv())
            if m["parent_header"].get("msg_id") == number:
                mine.append(m)
                reply = reply or m["channel"] == "shell"
                idle = idle or m["content"].get("execution_state") == "idle"
        return mine

    def run(self, code):
        return self.finish(self.execute(code))

    def close(self):
        self.socket.close()


def text(messages):
    """Text, results and names of errors, in their order."""
    out = ""
    for m in messages:
        kind, content = m["msg_type"], m["content"]
        if kind == "stream":
            out += content["text"]
        elif kind in ("display_data", "execute_result"):
            out += "[" + content["data"]["text/plain"] + "]"
        elif kind == "error":
            out += "!" + content["ename"]
    return out


class Gateway(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.addClassCleanup(cls.server.stop)

    def setUp(self):
        self.kernel = self.server.ask("POST", "/api/kernels", {"name": "gondola"})["id"]
        self.path = "/api/kernels/" + self.kernel
        self.channels = Channels(self.server, self.kernel)
        self.assertEqual(text(self.channels.run("kept := 41")), "")

    def tearDown(self):
        self.channels.close()
        self.server.ask("DELETE", self.path)
        self.assertNotIn(self.kernel, [k["id"] for k in self.server.ask("GET", "/api/kernels")])

    def test_cells(self):
        self.assertEqual(text(self.channels.run('fmt.Println("a")\ndisplay.Show(1)\nfmt.Println("b")\nkept + 1')), "a\n[1]b\n[42]")
        self.assertEqual(text(self.channels.run("nope")), "!CompileError")

    def test_interrupt(self):
        number = self.channels.execute('fmt.Println("in")\nfor {\n}')
        self.channels.take(lambda m: m["msg_type"] == "stream")
        self.server.ask("POST", self.path + "/interrupt", {})
        self.assertEqual(text(self.channels.finish(number)), "!Interrupted")
        self.assertEqual(text(self.channels.run("kept")), "[41]")

    def test_restart(self):
        self.server.ask("POST", self.path + "/restart", {})
        self.channels.close()
        self.channels = Channels(self.server, self.kernel)
        self.assertEqual(text(self.channels.run("kept")), "!CompileError")
        self.assertEqual(text(self.channels.run("6 * 7")), "[42]")

    def test_input(self):
        number = self.channels.execute('var name string\nfmt.Scanln(&name)\nname + "!"')
        asked = self.channels.take(lambda m: m["msg_type"] == "input_request")[-1]
        self.channels.send("stdin", "input_reply", {"status": "ok", "value": "Gauss"}, asked["header"])
        self.assertIn("Gauss!", text(self.channels.finish(number)))

    def test_a_second_connection(self):
        self.channels.close()
        self.channels = Channels(self.server, self.kernel)
        self.assertEqual(text(self.channels.run("kept")), "[41]")

    def test_worker_lost(self):
        self.assertEqual(text(self.channels.run("var mu sync.Mutex\nmu.Unlock()")), "!WorkerLost")
        self.assertEqual(text(self.channels.run("6 * 7")), "[42]")


class Installed(unittest.TestCase):
    """Each form of the installation leads to a cell, with nothing of the others about."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="gondola-installed-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.env = {"HOME": self.folder, "JUPYTER_DATA_DIR": "", "XDG_DATA_HOME": "", "VIRTUAL_ENV": "", "CONDA_PREFIX": ""}

    def leads_to_a_cell(self, arguments, where, python=sys.executable, **more):
        env = {**self.env, **more}
        subprocess.run([os.path.abspath("bin/gondola"), "install", "--name", "gondola-new", *arguments], check=True, env={**os.environ, **env},
                       stdout=subprocess.DEVNULL)
        spec = os.path.join(self.folder, where, "kernels/gondola-new/kernel.json")
        self.assertTrue(os.path.exists(spec), spec)
        server = Server(python, **env)
        try:
            self.assertIn("gondola-new", server.ask("GET", "/api/kernelspecs")["kernelspecs"])
            kernel = server.ask("POST", "/api/kernels", {"name": "gondola-new"})["id"]
            channels = Channels(server, kernel)
            self.assertEqual(text(channels.run("6 * 7")), "[42]")
            channels.close()
            server.ask("DELETE", "/api/kernels/" + kernel)
        finally:
            server.stop()

    def test_user(self):
        self.leads_to_a_cell(["--user"], ".local/share/jupyter" if sys.platform != "darwin" else "Library/Jupyter")

    def test_prefix(self):
        self.leads_to_a_cell(["--prefix", self.folder + "/opt"], "opt/share/jupyter", JUPYTER_PATH=self.folder + "/opt/share/jupyter")

    def test_virtual_environment(self):
        home = self.folder + "/env"
        venv.create(home, symlinks=True)
        site = subprocess.check_output([home + "/bin/python", "-c", "import site; print(site.getsitepackages()[0])"], text=True).strip()
        with open(site + "/packages.pth", "w") as f:  # those of the tests' own
            f.write("\n".join(p for p in sys.path if p.endswith("site-packages")) + "\n")
        self.leads_to_a_cell([], "env/share/jupyter", python=home + "/bin/python", VIRTUAL_ENV=home, PATH=home + "/bin:" + os.environ["PATH"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
