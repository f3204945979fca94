import { describe, expect, it } from 'vitest'
import { seccompFilter } from './seccomp.ts'
import { type Architecture, findArchitecture } from './system-calls.ts'

const ALLOWED = 'allowed'
const KILLED = 'killed'
const EPERM = 1
const ENOSYS = 38
const EOPNOTSUPP = 95
const EAFNOSUPPORT = 97

function requireArchitecture(name: string): Architecture {
  const found = findArchitecture(name)
  if (!found) throw new Error(name)
  return found
}

/** Runs the filter on a system call, as the kernel does. */
function runFilter(
  filter: Buffer,
  call: { audit: number; number: number; arguments?: readonly number[] },
): string | number {
  const data = new Map([
    [0, call.number],
    [4, call.audit],
    ...(call.arguments ?? []).map((argument, index) => [16 + 8 * index, argument] as const),
  ])
  let accumulator = 0
  for (let at = 0; at < filter.length / 8; at++) {
    const code = filter.readUInt16LE(at * 8)
    const operand = filter.readUInt32LE(at * 8 + 4)
    if (code === 0x20) accumulator = data.get(operand) ?? Number.NaN
    else if (code === 0x06) return nameOf(operand)
    else at += filter.readUInt8(at * 8 + (isTrue(code, accumulator, operand) ? 2 : 3))
  }
  throw new Error('the filter did not return')
}

const isTrue = (code: number, accumulator: number, operand: number) =>
  ({ 21: accumulator === operand, 53: accumulator >= operand, 69: (accumulator & operand) !== 0 })[code] ?? false

function nameOf(action: number): string | number {
  if (action === 0x7fff0000) return ALLOWED
  return action === 0x80000000 ? KILLED : action & 0xffff
}

describe.each([
  [
    'x64',
    { read: 0, mmap: 9, execve: 59, futex: 202, openat: 257, connect: 42 },
    { ptrace: 101, mount: 165, io_uring_setup: 425, symlinkat: 266, linkat: 265, unlinkat: 263, renameat2: 316 },
  ],
  [
    'arm64',
    { read: 63, mmap: 222, execve: 221, futex: 98, openat: 56, connect: 203 },
    { ptrace: 117, mount: 40, io_uring_setup: 425, symlinkat: 36, linkat: 37, unlinkat: 35, renameat2: 276 },
  ],
])('the system call filter for %s', (name, { connect, ...listed }, refused) => {
  const architecture = requireArchitecture(name)
  const { audit, clone, socket, open } = architecture
  const plain = seccompFilter(architecture, { hasRelay: false })
  const relayed = seccompFilter(architecture, { hasRelay: true })
  const actionFor = (number: number, first = 0, filter = plain) =>
    runFilter(filter, { audit, number, arguments: [first, 0, 0] })

  it('allows the listed calls', () => {
    for (const number of [...architecture.allowed, ...Object.values(listed)]) expect(actionFor(number)).toBe(ALLOWED)
  })

  it('refuses every other call, also those that no kernel has yet', () => {
    for (const number of Object.values(refused)) expect(actionFor(number)).toBe(ENOSYS)
    const known = new Set([...architecture.allowed, clone, ...open.map((call) => call.number)])
    for (let number = 0; number < 2000; number++) {
      if (!known.has(number)) expect(actionFor(number)).toBe(ENOSYS)
    }
  })

  it('refuses files without a name, whose size the worker could not see', () => {
    const [O_CREAT, O_TMPFILE] = [0x40, 0x410000]
    for (const { number, flagsArgument } of open) {
      const actionWith = (flags: number) => {
        const given = [0, 0, 0].with(flagsArgument, flags)
        return runFilter(plain, { audit, number, arguments: given })
      }
      expect([actionWith(O_CREAT), actionWith(O_TMPFILE | 2)]).toEqual([ALLOWED, EOPNOTSUPP])
    }
  })

  it('allows threads and refuses new namespaces', () => {
    expect(actionFor(clone, 0x3d0f00)).toBe(ALLOWED)
    for (const flag of [0x80, 0x20000, 0x2000000, 0x10000000, 0x20000000, 0x40000000]) {
      expect(actionFor(clone, flag | 0x11)).toBe(EPERM)
    }
    const clone3 = 435
    expect(actionFor(clone3)).toBe(ENOSYS)
  })

  it('refuses all sockets without a relay, and allows only unix and IPv4 sockets with one', () => {
    expect([actionFor(socket, 1), actionFor(socket, 2), actionFor(connect)]).toEqual([ENOSYS, ENOSYS, ENOSYS])
    expect([actionFor(socket, 1, relayed), actionFor(socket, 2, relayed)]).toEqual([ALLOWED, ALLOWED])
    expect(actionFor(connect, 3, relayed)).toBe(ALLOWED)
    // 16, 17 and 40 are the address families AF_NETLINK, AF_PACKET and AF_VSOCK.
    for (const family of [16, 17, 40]) expect(actionFor(socket, family, relayed)).toBe(EAFNOSUPPORT)
  })

  it('kills a process that makes system calls of another architecture', () => {
    expect(runFilter(plain, { audit: 0x40000003, number: 0 })).toBe(KILLED)
  })
})

it('the system call filter for x64 kills a process that uses the x32 interface', () => {
  const architecture = requireArchitecture('x64')
  const filter = seccompFilter(architecture, { hasRelay: false })
  expect(runFilter(filter, { audit: architecture.audit, number: 0x40000000 + 101 })).toBe(KILLED)
})

it('there is no system call filter for other architectures', () => {
  expect(findArchitecture('riscv64')).toBeUndefined()
})
