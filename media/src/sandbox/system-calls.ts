/**
 * System calls that the programs in the sandbox may make, as [x64, arm64]; null if the architecture does not have the
 * call. All others fail with ENOSYS, also those of future kernels. The list has what ffmpeg, ffprobe, the packager,
 * socat and the shell were seen to call (`strace -f`), and the variants of these calls that other releases and
 * architectures of the C library use.
 */
const allowed = {
  // Files. `open` and `openat` have a rule of their own. No call deletes, renames or links files: the worker sees
  // everything that the program has written, and can limit the total size.
  read: [0, 63],
  write: [1, 64],
  readv: [19, 65],
  writev: [20, 66],
  pread64: [17, 67],
  pwrite64: [18, 68],
  preadv: [295, 69],
  pwritev: [296, 70],
  lseek: [8, 62],
  close: [3, 57],
  fcntl: [72, 25],
  ioctl: [16, 29],
  dup: [32, 23],
  dup2: [33, null],
  dup3: [292, 24],
  pipe: [22, null],
  pipe2: [293, 59],
  stat: [4, null],
  fstat: [5, 80],
  lstat: [6, null],
  newfstatat: [262, 79],
  statx: [332, 291],
  statfs: [137, 43],
  fstatfs: [138, 44],
  access: [21, null],
  faccessat: [269, 48],
  faccessat2: [439, 439],
  readlink: [89, null],
  readlinkat: [267, 78],
  getdents: [78, null],
  getdents64: [217, 61],
  getcwd: [79, 17],
  chdir: [80, 49],
  umask: [95, 166],
  ftruncate: [77, 46],
  fadvise64: [221, 223],
  fsync: [74, 82],
  fdatasync: [75, 83],
  // Waiting.
  poll: [7, null],
  ppoll: [271, 73],
  select: [23, null],
  pselect6: [270, 72],
  epoll_create: [213, null],
  epoll_create1: [291, 20],
  epoll_ctl: [233, 21],
  epoll_wait: [232, null],
  epoll_pwait: [281, 22],
  eventfd: [284, null],
  eventfd2: [290, 19],
  nanosleep: [35, 101],
  clock_nanosleep: [230, 115],
  pause: [34, null],
  // Memory.
  mmap: [9, 222],
  munmap: [11, 215],
  mremap: [25, 216],
  mprotect: [10, 226],
  madvise: [28, 233],
  brk: [12, 214],
  mlock: [149, 228],
  munlock: [150, 229],
  // Processes and threads of the sandbox. `clone` has a rule of its own.
  fork: [57, null],
  vfork: [58, null],
  execve: [59, 221],
  exit: [60, 93],
  exit_group: [231, 94],
  wait4: [61, 260],
  waitid: [247, 95],
  kill: [62, 129],
  tkill: [200, 130],
  tgkill: [234, 131],
  getpid: [39, 172],
  getppid: [110, 173],
  gettid: [186, 178],
  getpgrp: [111, null],
  getpgid: [121, 155],
  set_tid_address: [218, 96],
  set_robust_list: [273, 99],
  rseq: [334, 293],
  futex: [202, 98],
  membarrier: [324, 283],
  arch_prctl: [158, null],
  prctl: [157, 167],
  sched_yield: [24, 124],
  sched_getaffinity: [204, 123],
  sched_setaffinity: [203, 122],
  sched_getparam: [143, 121],
  sched_getscheduler: [145, 120],
  sched_get_priority_max: [146, 125],
  sched_get_priority_min: [147, 126],
  getcpu: [309, 168],
  // Signals.
  rt_sigaction: [13, 134],
  rt_sigprocmask: [14, 135],
  rt_sigreturn: [15, 139],
  rt_sigpending: [127, 136],
  rt_sigtimedwait: [128, 137],
  rt_sigsuspend: [130, 133],
  sigaltstack: [131, 132],
  restart_syscall: [219, 128],
  alarm: [37, null],
  setitimer: [38, 103],
  // Properties of the machine and the process.
  getuid: [102, 174],
  geteuid: [107, 175],
  getgid: [104, 176],
  getegid: [108, 177],
  getgroups: [115, 158],
  getresuid: [118, 148],
  getresgid: [120, 150],
  getrlimit: [97, 163],
  prlimit64: [302, 261],
  getrusage: [98, 165],
  times: [100, 153],
  sysinfo: [99, 179],
  uname: [63, 160],
  getrandom: [318, 278],
  gettimeofday: [96, 169],
  time: [201, null],
  clock_gettime: [228, 113],
  clock_getres: [229, 114],
} as const satisfies Record<string, readonly [number, number | null]>

/** Calls that only a program with a relay may make, on unix and IPv4 sockets. `socket` has a rule of its own. */
const allowedWithRelay = {
  socketpair: [53, 199],
  connect: [42, 203],
  bind: [49, 200],
  listen: [50, 201],
  accept: [43, 202],
  accept4: [288, 242],
  getsockname: [51, 204],
  getpeername: [52, 205],
  getsockopt: [55, 209],
  setsockopt: [54, 208],
  sendto: [44, 206],
  recvfrom: [45, 207],
  shutdown: [48, 210],
} as const satisfies Record<string, readonly [number, number]>

export type Architecture = {
  /** The kernel's id of the architecture in a filter (AUDIT_ARCH_…). */
  readonly audit: number
  readonly allowed: readonly number[]
  readonly allowedWithRelay: readonly number[]
  readonly clone: number
  readonly socket: number
  /** Calls that open files, with the index of their argument for flags. */
  readonly open: readonly { readonly number: number; readonly flagsArgument: number }[]
  /** First call number of the x32 interface, which would bypass the numbers above. */
  readonly x32CallsFrom: number | undefined
}

const numbers = (calls: Readonly<Record<string, readonly [number, number | null]>>, column: 0 | 1) =>
  Object.values(calls)
    .map((call) => call[column])
    .filter((number) => number !== null)

/** Supported architectures, keyed by Node's `process.arch`. There is no sandbox on other architectures. */
const architectures: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    allowed: numbers(allowed, 0),
    allowedWithRelay: numbers(allowedWithRelay, 0),
    clone: 56,
    socket: 41,
    open: [
      { number: 2, flagsArgument: 1 },
      { number: 257, flagsArgument: 2 },
    ],
    x32CallsFrom: 0x40000000,
  },
  arm64: {
    audit: 0xc00000b7,
    allowed: numbers(allowed, 1),
    allowedWithRelay: numbers(allowedWithRelay, 1),
    clone: 220,
    socket: 198,
    open: [{ number: 56, flagsArgument: 2 }],
    x32CallsFrom: undefined,
  },
}

export const findArchitecture = (name: string): Architecture | undefined => architectures[name]
