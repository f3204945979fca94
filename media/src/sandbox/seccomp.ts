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
const ARGUMENT_BYTES = 8

const ALLOW = 0x7fff0000
const KILL_PROCESS = 0x80000000
const refuseWith = (errno: number) => 0x00050000 | errno
const EPERM = 1
const ENOSYS = 38
const EOPNOTSUPP = 95
const EAFNOSUPPORT = 97

const AF_UNIX = 1
const AF_INET = 2

/** O_TMPFILE without O_DIRECTORY, whose value depends on the architecture. */
const UNNAMED_FILE_FLAG = 0x400000

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
 * Rules for sockets. Without a relay, there are none. With a relay, the program may use its unix socket and local
 * TCP.
 */
const socketRules = ({ socket, allowedWithRelay }: Architecture) => [
  ...allowedWithRelay.flatMap((number) => whenEqual(number, ALLOW)),
  ...forCall(socket, [
    load(FIRST_ARGUMENT),
    ...whenEqual(AF_UNIX, ALLOW),
    ...whenEqual(AF_INET, ALLOW),
    returnAction(refuseWith(EAFNOSUPPORT)),
  ]),
]

/** Allows a call unless an argument has one of these bits. */
const unlessAnyBit = (argument: number, bits: number, refusal: number): Instruction[] => [
  load(FIRST_ARGUMENT + argument * ARGUMENT_BYTES),
  [JUMP_IF_ANY_BIT, 0, 1, bits],
  returnAction(refusal),
  returnAction(ALLOW),
]

function instructions(architecture: Architecture, hasRelay: boolean): Instruction[] {
  const { audit, allowed, clone, open, x32CallsFrom } = architecture
  return [
    load(ARCHITECTURE),
    ...unlessEqual(audit, KILL_PROCESS),
    load(CALL_NUMBER),
    ...(x32CallsFrom === undefined
      ? []
      : [[JUMP_IF_AT_LEAST, 0, 1, x32CallsFrom] as const, returnAction(KILL_PROCESS)]),
    ...allowed.flatMap((number) => whenEqual(number, ALLOW)),
    ...open.flatMap(({ number, flagsArgument }) =>
      forCall(number, unlessAnyBit(flagsArgument, UNNAMED_FILE_FLAG, refuseWith(EOPNOTSUPP))),
    ),
    ...forCall(clone, unlessAnyBit(0, NEW_NAMESPACE_FLAGS, refuseWith(EPERM))),
    ...(hasRelay ? socketRules(architecture) : []),
    // The C library falls back to older calls if the kernel lacks one: after clone3, whose flags a filter cannot read,
    // to clone.
    returnAction(refuseWith(ENOSYS)),
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
