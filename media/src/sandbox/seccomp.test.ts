import { describe, expect, it } from 'vitest'
import { seccompFilter } from './seccomp.ts'
import { type Architecture, findArchitecture } from './system-calls.ts'

const ALLOWED = 'allowed'
const KILLED = 'killed'
const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

function requireArchitecture(name: string): Architecture {
  const found = findArchitecture(name)
  if (!found) throw new Error(name)
  return found
}

/** Runs the filter on a system call, as the kernel does. */
function runFilter(filter: Buffer, call: { audit: number; number: number; first?: number }): string | number {
  const data = new Map([
    [0, call.number],
    [4, call.audit],
    [16, call.first ?? 0],
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
  ['x64', { read: 0, ptrace: 101, mount: 165, iouring: 425, symlinkat: 266, linkat: 265 }],
  ['arm64', { read: 63, ptrace: 117, mount: 40, iouring: 425, symlinkat: 36, linkat: 37 }],
])('the system call filter for %s', (name, calls) => {
  const architecture = requireArchitecture(name)
  const { audit, clone, clone3, socket, socketpair } = architecture
  const plain = seccompFilter(architecture, { hasRelay: false })
  const relayed = seccompFilter(architecture, { hasRelay: true })
  const actionFor = (number: number, first?: number, filter = plain) =>
    runFilter(filter, first === undefined ? { audit, number } : { audit, number, first })

  it('allows read', () => {
    expect(actionFor(calls.read)).toBe(ALLOWED)
  })

  it('refuses every forbidden call', () => {
    for (const number of architecture.forbidden) expect(actionFor(number)).toBe(EPERM)
    const { read, ...refused } = calls
    for (const number of Object.values(refused)) expect(actionFor(number)).toBe(EPERM)
  })

  it('allows threads and refuses new namespaces', () => {
    expect(actionFor(clone, 0x3d0f00)).toBe(ALLOWED)
    for (const flag of [0x80, 0x20000, 0x2000000, 0x10000000, 0x20000000, 0x40000000]) {
      expect(actionFor(clone, flag | 0x11)).toBe(EPERM)
    }
    expect(actionFor(clone3)).toBe(ENOSYS)
  })

  it('refuses all sockets without a relay, and allows only unix and IPv4 sockets with one', () => {
    expect([actionFor(socket, 1), actionFor(socket, 2), actionFor(socketpair, 1)]).toEqual([EPERM, EPERM, EPERM])
    expect([actionFor(socket, 1, relayed), actionFor(socket, 2, relayed)]).toEqual([ALLOWED, ALLOWED])
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
