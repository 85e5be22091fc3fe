/* Options from the environment, reports, source positions. */
#include "internal.h"

namespace cudasim {

Options                  options;
bool                     instrumented = false;
long                     report_count = 0;
std::recursive_mutex     api_mutex;
thread_local ThreadState self;

static uint64_t random_state = 88172645463325252ull;

/* xorshift: the same sequence on every machine */
uint32_t random_number()
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 32);
}

/* ------------------------------------------------------------------ options */

static const char *environment(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : nullptr;
}

static size_t parse_bytes(const char *text)
{
    char  *end;
    size_t value = strtoull(text, &end, 0);
    switch (*end) {
    case 'k':
    case 'K': return value << 10;
    case 'm':
    case 'M': return value << 20;
    case 'g':
    case 'G': return value << 30;
    default: return value;
    }
}

static void parse_order(const char *text)
{
    if (!strcmp(text, "reverse")) options.order = Order::reverse;
    if (!strncmp(text, "random", 6)) {
        options.order = Order::random;
        if (text[6] == ':') random_state ^= (strtoull(text + 7, nullptr, 10) + 1) * 0x9e3779b97f4a7c15ull;
        for (int i = 0; i < 16; i++) random_number();
    }
}

static void read_options()
{
    const char *v;
    if ((v = environment("CUDASIM_ORDER"))) parse_order(v);
    if ((v = environment("CUDASIM_LAZY"))) options.lazy = atoi(v) != 0;
    if ((v = environment("CUDASIM_PROTECT"))) options.protect = atoi(v) != 0;
    if ((v = environment("CUDASIM_ABORT"))) options.abort = atoi(v) != 0;
    if (instrumented) options.leaks = Leaks::counted;
    if ((v = environment("CUDASIM_LEAKS")))
        options.leaks = !strcmp(v, "0") ? Leaks::ignored : !strcmp(v, "fail") ? Leaks::counted : Leaks::shown;
    if ((v = environment("CUDASIM_MAX_REPORTS"))) options.max_reports = atol(v);
    if ((v = environment("CUDASIM_DEVICES"))) options.devices = std::max(0, std::min(16, atoi(v)));
    if ((v = environment("CUDASIM_MEMORY"))) options.memory = std::max((size_t)1 << 20, parse_bytes(v));
    if ((v = environment("CUDASIM_STACK"))) options.stack = std::max((size_t)32 << 10, parse_bytes(v));
    if ((v = environment("CUDASIM_TIMEOUT"))) options.timeout = atof(v);
    if ((v = environment("CUDASIM_SKIP_BARRIER"))) options.skip_barrier = strdup(v);
    if ((v = environment("CUDASIM_LIST_BARRIERS"))) options.list_barriers = strdup(v);
    if ((v = environment("CUDASIM_LOG"))) options.log = strdup(v);
    if ((v = environment("CUDASIM_FAIL"))) {
        const char *colon = strchr(v, ':');
        cudasim_fail(colon ? std::string(v, colon).c_str() : "any", atol(colon ? colon + 1 : v));
    }
}

/* ------------------------------------------------------------------ source positions */

struct Module {
    const void *code;
    uintptr_t   offset = 0;
    std::string file;
};

static int find_module(struct dl_phdr_info *info, size_t, void *data)
{
    Module *m = (Module *)data;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type != PT_LOAD || (uintptr_t)m->code - start >= info->dlpi_phdr[i].p_memsz) continue;
        m->offset = (uintptr_t)m->code - info->dlpi_addr;
        m->file   = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "";
        if (m->file.empty()) {
            char    path[4096];
            ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
            m->file   = n > 0 ? std::string(path, (size_t)n) : "";
        }
        return 1;
    }
    return 0;
}

static std::string shell_quoted(const std::string &text)
{
    std::string quoted = "'";
    for (char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

/* The output of addr2line for an address: one "function at file:line" per (inlined) frame, innermost first. */
static std::vector<std::string> symbolize(const void *code)
{
    static Immortal<std::map<const void *, std::vector<std::string>>> cache;
    auto                                                              known = cache->find(code);
    if (known != cache->end()) return known->second;
    std::vector<std::string> lines;
    Module                   m;
    m.code = code;
    if (dl_iterate_phdr(find_module, &m) && !m.file.empty()) {
        char address[32];
        snprintf(address, sizeof address, "%#zx", (size_t)m.offset);
        std::string file    = shell_quoted(m.file);
        std::string command = "addr2line -Cfpie " + file + " " + address + " 2>/dev/null || llvm-symbolizer -p --obj=" + file +
                              " " + address + " 2>/dev/null";
        FILE *pipe = popen(command.c_str(), "r");
        char  line[1024];
        while (pipe && fgets(line, sizeof line, pipe)) {
            line[strcspn(line, "\n")] = 0;
            if (*line) lines.push_back(line);
        }
        if (pipe) pclose(pipe);
    }
    return (*cache)[code] = lines;
}

static std::string without_inlined_by(std::string line)
{
    const char *prefixes[] = { " (inlined by) ", "(inlined by) " };
    for (const char *prefix : prefixes)
        if (!line.compare(0, strlen(prefix), prefix)) line.erase(0, strlen(prefix));
    return line;
}

/* "function at file:line" */
struct Frame {
    std::string function, file;
    int         line = 0;
};

static Frame parse_frame(const std::string &raw)
{
    std::string text          = without_inlined_by(raw);
    size_t      discriminator = text.find(" (discriminator");
    if (discriminator != std::string::npos) text.erase(discriminator);
    Frame  frame;
    size_t at = text.rfind(" at ");
    if (at == std::string::npos) return frame;
    frame.function = text.substr(0, at);
    frame.file     = text.substr(at + 4);
    /* file:line, or file:line:column */
    size_t colon = frame.file.find(':');
    if (colon != std::string::npos) {
        frame.line = atoi(frame.file.c_str() + colon + 1);
        frame.file.erase(colon);
    }
    return frame;
}

static bool ends_with(const std::string &file, const char *name)
{
    return file.size() > strlen(name) && !file.compare(file.size() - strlen(name), std::string::npos, name);
}

/* Frames inside cudasim's own headers are of no use to a reader. */
static bool is_own_file(const std::string &file)
{
    for (const char *name : { "/cudasim/device.h", "/cudasim/launch.h", "/cudasim/atomics.h", "/cudasim/math.h",
                              "/cuda_runtime.h", "/cooperative_groups.h", "/std_function.h", "/invoke.h" })
        if (ends_with(file, name)) return true;
    return false;
}

static bool is_library_file(const std::string &file)
{
    return ends_with(file, "/cublas_v2.h") || ends_with(file, "/cusolverDn.h");
}

/* The lambda that CUDASIM_LAUNCH wraps around the kernel, under the names that compilers and addr2line give it. */
static bool is_glue_name(const std::string &function)
{
    return !function.compare(0, 11, "operator()<") || function.find("{lambda(auto") != std::string::npos ||
           function.find("cudasim::launcher::run") != std::string::npos ||
           (function.find("$_") != std::string::npos && function.find("::operator()<") != std::string::npos);
}

std::string source_position(const void *code)
{
    if (!code) return "";
    std::string text, glue;
    bool        library = false;
    /* a return address belongs to the instruction before it */
    for (const std::string &raw : symbolize((const char *)code - 1)) {
        Frame       f        = parse_frame(raw);
        std::string position = f.file + ":" + std::to_string(f.line);
        if (f.file.empty() || f.file[0] == '?' || is_own_file(f.file)) continue;
        if (is_library_file(f.file)) {
            library = true;
            continue;
        }
        if (is_glue_name(f.function)) { /* the launch itself, or an inlined kernel whose name addr2line missed */
            if (glue.empty()) glue = position;
            continue;
        }
        text += (text.empty() ? "" : ", inlined in ") + f.function + " at " + position;
    }
    if (text.empty() && library) return "code of a library";
    if (text.empty()) text = glue;
    if (text.empty()) {
        char address[32];
        snprintf(address, sizeof address, "address %p", code);
        text = address;
    }
    return text;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool is_launch_glue(const void *code)
{
    std::vector<std::string> lines = symbolize((const char *)code - 1);
    if (lines.empty() || !kernel.launch || !kernel.launch->file) return false;
    Frame f = parse_frame(lines[0]);
    return is_glue_name(f.function) && !strcmp(base_name(f.file.c_str()), base_name(kernel.launch->file)) &&
           abs(f.line - kernel.launch->line) <= 10;
}

std::string function_name(const void *code)
{
    std::vector<std::string> lines = symbolize(code);
    if (lines.empty()) return "";
    std::string line = without_inlined_by(lines.back());
    size_t      at   = line.find(" at ");
    if (at != std::string::npos) line.erase(at);
    size_t parenthesis = line.find('(');
    if (parenthesis != std::string::npos && parenthesis) line.erase(parenthesis);
    return line == "??" ? "" : line;
}

/* ------------------------------------------------------------------ reports */

/* Has this place said this before?  The format string tells one kind of report from another. */
static bool is_news(const void *code, Place place, const char *format)
{
    static Immortal<std::set<std::tuple<const void *, const char *, int, const char *>>> said;
    if (!code && !place.file) return true;
    return said->insert({ code, place.file, place.line, format }).second;
}

static void append_formatted(std::string &text, const char *format, va_list arguments)
{
    char buffer[2048];
    vsnprintf(buffer, sizeof buffer, format, arguments);
    text += buffer;
}

static std::string triple(const dim3 &d)
{
    char text[64];
    snprintf(text, sizeof text, "(%u,%u,%u)", d.x, d.y, d.z);
    return text;
}

static std::string where_in_kernel()
{
    const cudasim_launch_t &l = *kernel.launch;
    std::string text          = "      in kernel " + kernel_name(l) + "<<<" + triple(l.grid) + ", " + triple(l.block) + ">>>";
    if (l.file) text += std::string(" launched at ") + l.file + ":" + std::to_string(l.line);
    if (current_thread)
        text += "\n      block " + triple(current_block->index) + " thread " + triple(current_thread->coordinates);
    return text + "\n";
}

Report::Report(const void *code, Place place, const char *format, ...)
{
    std::lock_guard<std::recursive_mutex> lock(api_mutex);
    report_count++;
    bool of_library = code && self.in_kernel && kernel.launch && kernel.launch->of_library;
    if (of_library) place = Place{ kernel.launch->file, kernel.launch->line }; /* the program's line: where it called it */
    wanted = is_news(code, place, format) && report_count <= 1000000;
    if (of_library) code = nullptr;
    static long printed = 0;
    if (wanted && ++printed > options.max_reports) wanted = false;
    if (!wanted) return;
    text = "cudasim: ";
    va_list arguments;
    va_start(arguments, format);
    append_formatted(text, format, arguments);
    va_end(arguments);
    text += "\n";
    if (self.in_kernel && kernel.launch) text += where_in_kernel();
    if (place.file) text += std::string("      at ") + place.file + ":" + std::to_string(place.line) + "\n";
    if (code) at("at", code);
}

Report &Report::detail(const char *format, ...)
{
    if (!wanted) return *this;
    va_list arguments;
    va_start(arguments, format);
    text += "      ";
    append_formatted(text, format, arguments);
    text += "\n";
    va_end(arguments);
    return *this;
}

Report &Report::at(const char *label, const void *code)
{
    if (wanted && code) text += std::string("      ") + label + " " + source_position(code) + "\n";
    return *this;
}

Report &Report::allocation(const void *pointer)
{
    if (!wanted || !in_arena(pointer)) return *this;
    std::string words = describe_address(pointer);
    if (!words.empty()) text += "      memory: " + words + "\n";
    if (Allocation *a = suspected_allocation(pointer)) {
        at("allocated at", a->caller);
        if (a->freed_by) at("freed at", a->freed_by);
    }
    return *this;
}

Report &Report::advice(const char *words)
{
    if (wanted) last_words = words;
    return *this;
}

Report::~Report()
{
    if (!wanted) return;
    if (!last_words.empty()) text += "      " + last_words + "\n";
    fflush(stdout);
    FILE *log = options.log ? fopen(options.log, "a") : nullptr;
    fputs(text.c_str(), log ? log : stderr);
    if (log) fclose(log);
    fflush(stderr);
    if (options.abort) abort();
}

/* ------------------------------------------------------------------ the end of the program */

/* Threads of a kernel allocate side by side: what one place of the code lost is one leak. */
static void report_heap_leaks()
{
    std::map<void *, std::pair<size_t, size_t>> places; /* how many, and their bytes */
    for (auto &entry : all_allocations()) {
        const Allocation &a = entry.second;
        if (a.freed_by || !a.heap) continue;
        places[a.caller].first++, places[a.caller].second += a.size;
    }
    for (auto &p : places)
        Report(p.first, Place{}, "leak: %zu allocation(s) of the device heap, %zu bytes in all, were never freed",
               p.second.first, p.second.second)
            .advice("a kernel must give them back, with free or delete");
}

static void report_leaks()
{
    size_t count = 0, bytes = 0;
    report_heap_leaks();
    for (auto &entry : all_allocations()) {
        const Allocation &a = entry.second;
        if (a.freed_by || a.heap) continue;
        count++, bytes += a.size;
        if (count <= 5) Report(a.caller, Place{}, "leak: %zu bytes of %s memory were never freed", a.size, kind_of_memory(a));
    }
    if (count > 5) Report(nullptr, Place{}, "leak: %zu allocations, %zu bytes in all, were never freed", count, bytes);
}

/* A destructor of the program image runs after every atexit() handler and static destructor: libraries have freed what they
 * hold by then. */
static bool started = false;

__attribute__((destructor)) static void at_program_end()
{
    if (started) {
        std::lock_guard<std::recursive_mutex> lock(api_mutex);
        synchronize_everything();
        long before = report_count;
        if (options.leaks != Leaks::ignored) report_leaks();
        if (options.leaks == Leaks::shown) report_count = before;
    }
    if (!report_count) return;
    FILE *log = options.log ? fopen(options.log, "a") : nullptr;
    fprintf(log ? log : stderr, "cudasim: %ld report(s)\n", report_count);
    if (log) fclose(log);
    fflush(stdout);
    fflush(stderr);
    _exit(99);
}

/* ------------------------------------------------------------------ faults */

static struct sigaction previous_segv, previous_bus, previous_fpe;

/* The innermost return address in code of the program, if the fault is in a library's function that it called. */
static void *code_of_program(void *code)
{
    void *frames[64];
    int   count = backtrace(frames, 64), i = 0;
    while (i < count && (char *)frames[i] + 1 != code) i++;
    while (i < count && !is_program_code(frames[i])) i++;
    return i < count && !is_program_code(code) ? frames[i] : code;
}

/* Is this code of the C library's free()? */
static bool is_free(const void *code)
{
    Dl_info found;
    if (!dladdr(code, &found) || !found.dli_sname) return false;
    return !strcmp(found.dli_sname, "free") || !strcmp(found.dli_sname, "cfree") || !strcmp(found.dli_sname, "__libc_free");
}

static void report_fault(const void *address, void *code)
{
    bool inside = in_arena(address);
    if (self.in_kernel && is_stack_overflow(address)) {
        Report(code, Place{}, "stack overflow: the local variables of a thread need more than %zu KiB", options.stack >> 10)
            .advice("raise it with CUDASIM_STACK=bytes, or use less local memory");
    } else if (self.in_kernel && inside && space_of(address) == Space::device && device_of(address) != kernel.device) {
        Report(code, Place{}, "device %d touched memory of device %d at %p without peer access", kernel.device,
               device_of(address), address)
            .allocation(address)
            .advice("call cudaDeviceEnablePeerAccess first, or copy with cudaMemcpyPeer");
    } else if (self.in_kernel) {
        Report(code, Place{}, "illegal memory access at %p in device code", address).allocation(address);
    } else if (inside) {
        void *caller = code_of_program(code);
        Report(caller, Place{}, "host code dereferenced device pointer %p", address)
            .allocation(address)
            .advice(is_free(code) ? "free() knows memory of the host only: use cudaFree"
                                  : "copy the data to the host with cudaMemcpy first");
    }
}

void *program_counter(void *context)
{
#if defined(__x86_64__)
    return (void *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (void *)((ucontext_t *)context)->uc_mcontext.pc;
#else
    (void)context;
    return nullptr;
#endif
}

/* A GPU does not stop at an integer division by zero: the quotient has all bits set, and the remainder is the dividend. */
static bool step_over_division(void *context)
{
#if defined(__x86_64__)
    greg_t        *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const uint8_t *p         = (const uint8_t *)registers[REG_RIP];
    bool           wide      = false;
    for (; *p == 0x66 || (*p & 0xf0) == 0x40; p++) wide = (*p & 0xf8) == 0x48; /* prefixes */
    unsigned mode = p[1] >> 6, operand = p[1] & 7, length = 2;
    if (*p != 0xf7 || (p[1] >> 3 & 7) < 6) return false; /* neither div nor idiv of more than a byte */
    if (mode != 3 && operand == 4) length += mode == 0 && (p[2] & 7) == 5 ? 5 : 1;
    length += mode == 1 ? 1 : mode == 2 || (mode == 0 && operand == 5) ? 4 : 0;
    registers[REG_RDX] = registers[REG_RAX];
    registers[REG_RAX] = wide ? -1 : (greg_t)0xffffffff;
    registers[REG_RIP] = (greg_t)(p + length);
    return true;
#else
    (void)context;
    return false;
#endif
}

extern "C" void __ubsan_handle_divrem_overflow(void *, uintptr_t, uintptr_t) __attribute__((weak));

static void on_division(int, siginfo_t *, void *context)
{
    InRuntime inside;
    if (!self.in_kernel) {
        sigaction(SIGFPE, &previous_fpe, nullptr);
        return;
    }
    if (!__ubsan_handle_divrem_overflow) /* it has told */
        Report((char *)program_counter(context) + 1, Place{}, "integer division by zero, or with a result that is too large");
    if (!step_over_division(context)) kill_kernel(cudaErrorLaunchFailure);
}

/* In a kernel a bad access ends the kernel, as on a GPU; in host code touching device memory it ends the program. */
static void on_fault(int signal_number, siginfo_t *info, void *context)
{
    InRuntime inside;
    void     *code = program_counter(context);
    if (code) code = (char *)code + 1; /* positions are looked up one byte before a return address */
    if (self.in_kernel) {
        report_fault(info->si_addr, code);
        kill_kernel(cudaErrorIllegalAddress);
    }
    if (in_arena(info->si_addr)) {
        report_fault(info->si_addr, code);
        fflush(stdout);
        _exit(99);
    }
    /* not ours: let the previous handler see it when the instruction is repeated */
    sigaction(signal_number, signal_number == SIGSEGV ? &previous_segv : &previous_bus, nullptr);
}

/* Faults may come from an overflowing stack, so the handler needs one of its own, per OS thread. */
struct AlternateStack {
    void *memory = nullptr;
    void  install()
    {
        stack_t stack = {}, old = {};
        sigaltstack(nullptr, &old);
        if (!(old.ss_flags & SS_DISABLE) && old.ss_size >= 65536) return;
        stack.ss_size = 256 << 10;
        memory        = malloc(stack.ss_size);
        stack.ss_sp   = memory;
        if (memory) sigaltstack(&stack, nullptr);
    }
    ~AlternateStack()
    {
        if (!memory) return;
        stack_t off  = {};
        off.ss_flags = SS_DISABLE;
        sigaltstack(&off, nullptr);
        free(memory);
    }
};

static void prepare_os_thread()
{
    static thread_local AlternateStack stack;
    stack.install();
    self.alternate_stack = true;
}

static void install_fault_handlers()
{
    struct sigaction action = {};
    action.sa_sigaction     = on_fault;
    action.sa_flags         = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(SIGSEGV, &action, &previous_segv);
    sigaction(SIGBUS, &action, &previous_bus);
    action.sa_sigaction = on_division;
    sigaction(SIGFPE, &action, &previous_fpe);
}

/* ------------------------------------------------------------------ start */

static void start()
{
    started = true;
    read_options();
    start_memory();
    if (instrumented) checker_start();
    install_fault_handlers();
}

void ApiCall::enter(const char *name, void *caller)
{
    if (!started) start();
    if (self.in_kernel) {
        Report(caller, Place{}, "device code calls %s", name)
            .advice("it is a function of the host: nvcc rejects this, or needs dynamic parallelism, which cudasim has not");
        api_mutex.unlock(); /* this call does not return */
        kill_kernel(cudaErrorLaunchFailure);
    }
    if (instrumented && self.host_function)
        Report(caller, Place{}, "a function of cudaLaunchHostFunc calls %s", name)
            .advice(
                "CUDA forbids this: the stream would wait for itself; let the function tell the host, which then calls CUDA");
    if (!self.alternate_stack) prepare_os_thread();
    self.api_name       = name;
    self.api_caller     = caller;
    self.reports_before = report_count;
}

/* Errors that a program cannot meet by bad luck, only by a mistake. */
static bool is_mistake(cudaError_t error)
{
    switch (error) {
    case cudaErrorInvalidValue:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidSymbol:
    case cudaErrorInvalidDevicePointer:
    case cudaErrorInvalidMemcpyDirection:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorInvalidResourceHandle:
    case cudaErrorHostMemoryNotRegistered: return true;
    default: return false;
    }
}

cudaError_t failed(cudaError_t error)
{
    if (error == cudaSuccess) return error;
    self.last_error = error;
    if (instrumented && is_mistake(error) && report_count == self.reports_before)
        Report(self.api_caller, Place{}, "%s returned %s: %s", self.api_name, cudaGetErrorName(error),
               cudaGetErrorString(error));
    return error;
}

} // namespace cudasim

extern "C" {

/* Sanitizers linked with the program end it with the same status as cudasim's own reports. */
__attribute__((weak)) const char *__ubsan_default_options(void) { return "exitcode=99:print_stacktrace=0"; }
__attribute__((weak)) const char *__asan_default_options(void)
{
    return "exitcode=99:detect_leaks=0:allow_user_segv_handler=1:detect_stack_use_after_return=0";
}

long cudasim_report_count(void) { return cudasim::report_count; }
int  cudasim_is_checker(void) { return cudasim::instrumented; }

/* The undefined-behaviour sanitizer calls this for each of its reports: say where in the kernel it happened. */
void __ubsan_on_report(void)
{
    using namespace cudasim;
    InRuntime inside;
    report_count++;
    if (self.in_kernel && kernel.launch) fputs(("cudasim: the next error is\n" + where_in_kernel()).c_str(), stderr);
}

/* assert() in device code ends the kernel, in host code the program. */
void __assert_fail(const char *expression, const char *file, unsigned int line, const char *function)
{
    using namespace cudasim;
    InRuntime inside;
    if (self.in_kernel) {
        Report(nullptr, Place{ file, (int)line }, "%s: Assertion `%s` failed", function, expression);
        kill_kernel(cudaErrorAssert);
    }
    fflush(stdout);
    fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression);
    abort();
}
}
