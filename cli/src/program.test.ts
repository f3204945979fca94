import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { buildProgram } from './program.ts'
import { outputTo } from './terminal/output.ts'

const program = buildProgram({
  environment: {},
  stdin: process.stdin,
  interrupted: new AbortController().signal,
  output: () => outputTo(process, false),
  setExitCode: () => {},
})

const withChildren = (command: Command, before: string): [string, Command][] => {
  const name = `${before}${command.name()}`
  return [[name, command], ...command.commands.flatMap((child) => withChildren(child, `${name} `))]
}

/** Options in a help text: an indented line starts with the flags. */
const flagsIn = (help: string) => [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag)

it.each(withChildren(program, ''))('the help of `%s` lists each option once', (_, command) => {
  const flags = flagsIn(command.helpInformation())
  expect(flags).toContain('--help')
  expect(flags).toEqual([...new Set(flags)])
})

it('the help of `reelkeep events list` lists --json as a global option', () => {
  const list = withChildren(program, '').find(([name]) => name === 'reelkeep events list')?.[1]
  expect(list?.helpInformation()).toMatch(/Global Options:\n(.*\n)* +--json/)
})
