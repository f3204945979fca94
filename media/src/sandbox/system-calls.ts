/**
 * System calls that no program needs to read a video, as [x64, arm64]; null if the architecture does not have the call.
 */
const forbidden = {
  // Calls that affect other processes or namespaces.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  kcmp: [312, 272],
  pidfd_open: [434, 434],
  pidfd_getfd: [438, 438],
  unshare: [272, 97],
  setns: [308, 268],
  personality: [135, 92],
  // Calls that mount file systems.
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_by_handle_at: [304, 265],
  name_to_handle_at: [303, 264],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  fanotify_init: [300, 262],
  // Calls that create anything but plain files: the worker reads the output with more privileges.
  mknod: [133, null],
  mknodat: [259, 33],
  link: [86, null],
  linkat: [265, 37],
  symlink: [88, null],
  symlinkat: [266, 36],
  // Calls of large kernel subsystems with frequent vulnerabilities.
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
  lookup_dcookie: [212, 18],
  modify_ldt: [154, null],
  // Calls that run programs that are not files on disk.
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
  execveat: [322, 281],
  uselib: [134, null],
  // Calls for system administration.
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  syslog: [103, 116],
  acct: [163, 89],
  vhangup: [153, 58],
  iopl: [172, null],
  ioperm: [173, null],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
  sethostname: [170, 161],
  setdomainname: [171, 162],
} as const satisfies Record<string, readonly [number, number | null]>

export type Architecture = {
  /** The kernel's id of the architecture in a filter (AUDIT_ARCH_…). */
  readonly audit: number
  readonly forbidden: readonly number[]
  readonly clone: number
  readonly clone3: number
  readonly socket: number
  readonly socketpair: number
  /** First call number of the x32 interface, which would bypass the numbers above. */
  readonly x32CallsFrom: number | undefined
}

const numbers = (column: 0 | 1) =>
  Object.values(forbidden)
    .map((call) => call[column])
    .filter((number) => number !== null)

/** Supported architectures, keyed by Node's `process.arch`. There is no sandbox on other architectures. */
const architectures: Readonly<Record<string, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    forbidden: numbers(0),
    clone: 56,
    clone3: 435,
    socket: 41,
    socketpair: 53,
    x32CallsFrom: 0x40000000,
  },
  arm64: {
    audit: 0xc00000b7,
    forbidden: numbers(1),
    clone: 220,
    clone3: 435,
    socket: 198,
    socketpair: 199,
    x32CallsFrom: undefined,
  },
}

export const findArchitecture = (name: string): Architecture | undefined => architectures[name]
