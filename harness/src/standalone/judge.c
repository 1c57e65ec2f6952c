/* SPDX-License-Identifier: Apache-2.0 */
/* ---- judgements, and the process that makes the calls ---- */

/* The exit codes of the child process, in which the library may exit with any other. */
enum { CHILD_KEEPS = 100, CHILD_BREAKS = 101, CHILD_FAILED = 102 };

enum { CHILD_SECONDS = 40 }; /* a child that lives longer hangs */

static _Noreturn inline void end_child(int code) {
  fflush(NULL);
  _exit(code);
}

static _Noreturn inline void unexpected(const char* format, ...) {
  va_list values;
  va_start(values, format);
  printf("unexpected: ");
  vprintf(format, values);
  va_end(values);
  printf("\n");
  end_child(CHILD_FAILED);
}

static _Noreturn inline void judge(int holds) {
  end_child(holds ? CHILD_KEEPS : CHILD_BREAKS);
}

static inline void judge_text(const char* found, const char* expected) {
  printf("expected: %s\nfound:    %s\n", expected, found == NULL ? "NULL" : found);
  judge(found != NULL && strcmp(found, expected) == 0);
}

static inline void judge_number(long long found, long long expected) {
  printf("expected: %lld\nfound:    %lld\n", expected, found);
  judge(found == expected);
}

static inline void judge_condition(int holds, const char* condition) {
  printf("expected: %s\nfound:    %s\n", condition, holds ? "the same" : "that does not hold");
  judge(holds);
}

#define JUDGE(...) judge_condition((__VA_ARGS__) != 0, #__VA_ARGS__)

/* What an end means: MAY_END is for a library that ends the process or hangs if it breaks the rule.
 */
typedef enum run_kind { JUDGES, MAY_END } run_kind;

static inline int exit_code(run_kind kind, int code) {
  if (code == CHILD_KEEPS) printf("the library keeps the rule\n");
  if (code == CHILD_BREAKS || (code != CHILD_KEEPS && code != CHILD_FAILED && kind == MAY_END)) {
    printf("the library breaks the rule\n");
    return 1;
  }
  return code == CHILD_KEEPS ? 0 : 2;
}

static inline const char* signal_name(int number) {
  static const struct {
    int number;
    const char* name;
  } names[] = {{SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},
               {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"},   {SIGTRAP, "SIGTRAP"},
               {SIGTERM, "SIGTERM"}, {SIGKILL, "SIGKILL"}, {SIGALRM, "SIGALRM"}};
  static char other[32];
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
    if (names[i].number == number) return names[i].name;
  snprintf(other, sizeof(other), "signal %d", number);
  return other;
}

static inline int load(const char* path);

/* Takes the steps in a child process. Returns the exit code of this one. */
static inline int run(run_kind kind, const char* path, void (*steps)(void)) {
  setvbuf(stdout, NULL, _IONBF, 0);
  const pid_t child = fork();
  if (child < 0) {
    perror("fork");
    return 2;
  }
  if (child == 0) {
    if (!load(path)) end_child(CHILD_FAILED);
    steps();
    end_child(CHILD_KEEPS);
  }
  int status = 0;
  const struct timespec pause = {.tv_nsec = 5000000};
  const time_t end = time(NULL) + CHILD_SECONDS;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (time(NULL) > end) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      printf("the library did not return within %d s\n", CHILD_SECONDS);
      return exit_code(kind, -1);
    }
    nanosleep(&pause, NULL);
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (WIFSIGNALED(status))
    printf("ended by %s\n", signal_name(WTERMSIG(status)));
  else if (code < CHILD_KEEPS || code > CHILD_FAILED)
    printf("ended early with exit status %d\n", code);
  return exit_code(kind, code);
}
