import { Argument, Command } from 'commander'
import type { Cli } from '../cli.ts'
import { candidates } from './candidates.ts'
import { type Shell, scripts, shells } from './scripts.ts'

/** Teaches the program to complete what is typed; it is to have all its other commands by then. */
export function addCompletion(program: Command, cli: Cli): void {
  const completion = new Command('completion')
    .description('print what makes your shell complete commands, options and values')
    .addArgument(new Argument('<shell>').choices(shells))
    .action((shell: Shell) => cli.output().text(scripts[shell]))
  const complete = new Command('complete')
    .argument('[words...]')
    .action((words: readonly string[]) => {
      const found = candidates(program, words)
      if (found.length === 0) return
      cli
        .output()
        .text(found.map(({ value, description }) => `${value}\t${description}`).join('\n'))
    })
  program.addCommand(completion).addCommand(complete, { hidden: true })
}
