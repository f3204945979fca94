import { Argument, Command } from 'commander'
import type { Cli } from '../cli.ts'
import { candidates } from './candidates.ts'
import { type Shell, scripts, shells } from './scripts.ts'

/** Adds shell completion. Must be called after all other commands were added. */
export function addCompletion(program: Command, cli: Cli): void {
  const completion = new Command('completion')
    .description('Print a shell completion script')
    .addArgument(new Argument('<shell>').choices(shells))
    .action((shell: Shell) => cli.output().text(scripts[shell]))
  const complete = new Command('complete').argument('[words...]').action((words: readonly string[]) => {
    const found = candidates(program, words)
    if (found.length === 0) return
    cli.output().text(found.map(({ value, description }) => `${value}\t${description}`).join('\n'))
  })
  program.addCommand(completion).addCommand(complete, { hidden: true })
}
