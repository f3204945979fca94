/** `pnpm bench|faults|drill NAME [options]`: runs one program on its own stack. Without a name, lists the names. */
import { type Kind, programs } from './programs.ts'
import { runCommand } from './run-command.ts'

const [kind = '', name = '', ...options] = process.argv.slice(2)
if (!isKind(kind)) throw new Error('usage: run.ts bench|faults|drill NAME [options]')

const program = programs[kind][name]
if (program) {
  const code = await runCommand([...program.command, ...options], program.stack)
  process.exitCode = code
} else {
  const rows = Object.entries(programs[kind]).map(([one, { summary }]) => `  ${one.padEnd(14)}${summary}`)
  process.stderr.write(`usage: pnpm ${kind} NAME [options]\n\n${rows.join('\n')}\n`)
  process.exitCode = name === '' ? 0 : 2
}

function isKind(text: string): text is Kind {
  return text in programs
}
