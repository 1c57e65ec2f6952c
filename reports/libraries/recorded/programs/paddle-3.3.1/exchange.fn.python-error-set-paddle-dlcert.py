# exchange.fn.python-error-set (paddle 3.3.1): a function of the table that fails leaves an error set, and one that succeeds none
# ended by SIGSEGV in case 4
# Rule: dlpack.h v1.3, function typedefs
# Exit code: 1 when the library shows the fault, 0 when it does not, 2 when it cannot be imported.
import os, signal, subprocess, sys
try:
    import paddle
    from paddle.utils.dlpack import from_dlpack
    library = paddle
except ImportError as error:
    sys.exit(print(error, flush=True) or 2)
signal.alarm(60)  # a hang ends by SIGALRM
sys.excepthook = lambda *error: (sys.__excepthook__(*error), os._exit(100))
if sys.argv[1:] != ["--child"]:  # what follows ends the process, or hangs
    code = subprocess.run([sys.executable, __file__, "--child"]).returncode
    print("the library did not end the process" if code == 100 else f"ended by {signal.Signals(-code).name}"
          if code < 0 else f"ended early with exit status {code}", flush=True)
    sys.exit(code != 100)
# cannot be shown without dlcert: library.exchange_table()
# cannot be shown without dlcert: library.take_object_error()
# cannot be shown without dlcert: library.table.current_work_stream(cuda:0)
# cannot be shown without dlcert: library: what follows, until the next line like this, has the interpreter's lock
os._exit(100)
