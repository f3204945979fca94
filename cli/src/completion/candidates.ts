import type { Command, Option } from 'commander'

export type Candidate = { readonly value: string; readonly description: string }

type Position = {
  readonly command: Command
  /** The option whose value comes next. */
  readonly pendingOption: Option | undefined
  /** Number of arguments given so far. */
  readonly given: number
}

/**
 * Returns completions of the last word, which may be empty. Returns none if the values are not a fixed set; the
 * shell then completes file names.
 */
export function candidates(program: Command, words: readonly string[]): Candidate[] {
  const typed = words.at(-1) ?? ''
  const { command, pendingOption, given } = words.slice(0, -1).reduce(step, {
    command: program,
    pendingOption: undefined,
    given: 0,
  } as Position)
  if (pendingOption) return valuesOf(pendingOption, typed)
  const [, flag, value] = /^(--[^=]+)=(.*)$/.exec(typed) ?? []
  const named = flag && findOption(command, flag)
  if (named) return valuesOf(named, value ?? '').map((each) => prefixed(`${flag}=`, each))
  if (typed.startsWith('-')) return startingWith(optionsOf(command).map(toCandidate), typed)
  const choices = argumentAt(command, given)?.argChoices ?? []
  const next = given === 0 ? subcommandsOf(command) : []
  return startingWith([...next, ...choices.map((choice) => ({ value: choice, description: '' }))], typed)
}

function step(position: Position, word: string): Position {
  if (position.pendingOption) return { ...position, pendingOption: undefined }
  if (word.startsWith('-')) {
    const option = findOption(position.command, word)
    return option?.required || option?.optional ? { ...position, pendingOption: option } : position
  }
  const child = position.given === 0 ? position.command.commands.find((each) => each.name() === word) : undefined
  if (child) return { command: child, pendingOption: undefined, given: 0 }
  return { ...position, given: position.given + 1 }
}

/** Returns the argument at an index. The last argument may be variadic. */
function argumentAt({ registeredArguments }: Command, index: number) {
  const last = registeredArguments.at(-1)
  return registeredArguments[index] ?? (last?.variadic ? last : undefined)
}

/** In a comma-separated value, only the part after the last comma is completed. */
function valuesOf({ argChoices, parseArg }: Option, typed: string): Candidate[] {
  const choices = (argChoices ?? []).map((value) => ({ value, description: '' }))
  const before = parseArg && argChoices ? typed.slice(0, typed.lastIndexOf(',') + 1) : ''
  return startingWith(choices, typed.slice(before.length)).map((each) => prefixed(before, each))
}

const prefixed = (prefix: string, { value, description }: Candidate): Candidate => ({
  value: prefix + value,
  description,
})

const startingWith = (all: readonly Candidate[], typed: string) => all.filter(({ value }) => value.startsWith(typed))

const findOption = (command: Command, flag: string) =>
  optionsOf(command).find(({ long, short }) => flag === long || flag === short)

function optionsOf(command: Command): Option[] {
  const help = command.createHelp()
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)]
}

const toCandidate = ({ long, short, description }: Option): Candidate => ({
  value: long ?? short ?? '',
  description,
})

const subcommandsOf = (command: Command): Candidate[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((child) => ({ value: child.name(), description: child.description() }))
