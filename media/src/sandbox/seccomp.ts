/**
 * The seccomp filter, as classic BPF with eight bytes per instruction. Each check is "if the accumulator matches,
 * continue with the action, else skip it", so no jump is longer than the action that follows.
 */
import type { Architecture } from './system-calls.ts'

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number]

const LOAD_WORD = 0x20
const JUMP_IF_EQUAL = 0x15
const JUMP_IF_AT_LEAST = 0x35
const JUMP_IF_ANY_BIT = 0x45
const RETURN = 0x06

/** Offsets in `struct seccomp_data`. On both architectures the lower half of an argument comes first. */
const CALL_NUMBER = 0
const ARCHITECTURE = 4
const FIRST_ARGUMENT = 16

const ALLOW = 0x7fff0000
const KILL_PROCESS = 0x80000000
const refuseWith = (errno: number) => 0x00050000 | errno
const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

const AF_UNIX = 1
const AF_INET = 2

/** All CLONE_NEW… flags: threads and processes are allowed, namespaces are not. */
const NEW_NAMESPACE_FLAGS = 0x7e020080

const load = (offset: number): Instruction => [LOAD_WORD, 0, 0, offset]
const returnAction = (value: number): Instruction => [RETURN, 0, 0, value]
const whenEqual = (operand: number, value: number) =>
  [[JUMP_IF_EQUAL, 0, 1, operand], returnAction(value)] satisfies Instruction[]
const unlessEqual = (operand: number, value: number) =>
  [[JUMP_IF_EQUAL, 1, 0, operand], returnAction(value)] satisfies Instruction[]

/** Runs `body` only for one system call. `body` must return on every path, because it may change the accumulator. */
const forCall = (number: number, body: readonly Instruction[]) =>
  [[JUMP_IF_EQUAL, 0, body.length, number], ...body] satisfies Instruction[]

/**
 * Rules for sockets. Without a relay, all sockets are refused. With a relay, the program may use its unix
 * socket and local TCP.
 */
function socketRules({ socket, socketpair }: Architecture, hasRelay: boolean): Instruction[] {
  if (!hasRelay) return [...whenEqual(socket, refuseWith(EPERM)), ...whenEqual(socketpair, refuseWith(EPERM))]
  return forCall(socket, [
    load(FIRST_ARGUMENT),
    ...whenEqual(AF_UNIX, ALLOW),
    ...whenEqual(AF_INET, ALLOW),
    returnAction(refuseWith(EAFNOSUPPORT)),
  ])
}

function instructions(architecture: Architecture, hasRelay: boolean): Instruction[] {
  const { audit, forbidden, clone, clone3, x32CallsFrom } = architecture
  return [
    load(ARCHITECTURE),
    ...unlessEqual(audit, KILL_PROCESS),
    load(CALL_NUMBER),
    ...(x32CallsFrom === undefined
      ? []
      : [[JUMP_IF_AT_LEAST, 0, 1, x32CallsFrom] as const, returnAction(KILL_PROCESS)]),
    ...forbidden.flatMap((number) => whenEqual(number, refuseWith(EPERM))),
    // A filter cannot read the flags of clone3, which are in memory. After ENOSYS, the C library falls back to clone.
    ...whenEqual(clone3, refuseWith(ENOSYS)),
    ...forCall(clone, [
      load(FIRST_ARGUMENT),
      [JUMP_IF_ANY_BIT, 0, 1, NEW_NAMESPACE_FLAGS],
      returnAction(refuseWith(EPERM)),
      returnAction(ALLOW),
    ]),
    ...socketRules(architecture, hasRelay),
    returnAction(ALLOW),
  ]
}

export function seccompFilter(architecture: Architecture, { hasRelay }: { hasRelay: boolean }): Buffer {
  const program = instructions(architecture, hasRelay)
  const bytes = Buffer.alloc(program.length * 8)
  for (const [index, [code, ifTrue, ifFalse, operand]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(ifTrue, index * 8 + 2)
    bytes.writeUInt8(ifFalse, index * 8 + 3)
    bytes.writeUInt32LE(operand >>> 0, index * 8 + 4)
  }
  return bytes
}
