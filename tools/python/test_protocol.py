"""Jupyter's own conformance tests (jupyter_kernel_test), run against the installed kernelspec "gondola"."""
import unittest

import jupyter_kernel_test


class Gondola(jupyter_kernel_test.KernelTests):
    kernel_name = "gondola"
    language_name = "go"
    file_extension = ".go"

    code_hello_world = 'fmt.Println("hello, world")'
    code_stderr = 'fmt.Fprintln(os.Stderr, "to the other stream")'
    completion_samples = [
        {"text": "fmt.Println", "matches": ["Println"]},
        {"text": "strings.TrimPre", "matches": ["TrimPrefix"]},
        {"text": 'x := "fmt.Pri'},
    ]
    complete_code_samples = ["1 + 1", "x := 3", 'fmt.Println("hi")', "func f() int { return 1 }", "for i := range 3 {\n\tfmt.Println(i)\n}"]
    incomplete_code_samples = ["func f() int {", "fmt.Println(", "x := `raw", "/* a comment", "if true {", "1 +"]
    invalid_code_samples = ["func )", "x := )", "}"]
    code_page_something = "%help"
    code_generate_error = 'panic("on purpose")'
    code_execute_result = [
        {"code": "1+2+3", "result": "6"},
        {"code": '"a" + "b"', "result": "ab"},
        {"code": "[]int{1, 2, 3}", "result": "[1 2 3]"},
        {"code": "6 * 7", "result": "42"},
    ]
    code_display_data = [
        {"code": 'display.HTML("<b>bold</b>")', "mime": "text/html"},
        {"code": 'display.Markdown("*soft*")', "mime": "text/markdown"},
    ]
    code_history_pattern = "1?2*"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "fmt.Println"
    code_clear_output = "display.Clear(false)"


class Welcome(jupyter_kernel_test.IopubWelcomeTests):
    kernel_name = "gondola"
    support_iopub_welcome = True


if __name__ == "__main__":
    unittest.main(verbosity=2)
