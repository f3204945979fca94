/** Debian's own programs of Postgres, for a small cluster of a test's own. They do not run as root. */
import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'

const isRoot = process.getuid?.() === 0
const user = isRoot ? ['--reuid=postgres', '--regid=postgres', '--init-groups'] : []

/** Of the newest version that is installed. */
export const [postgresBin = ''] = globSync('/usr/lib/postgresql/*/bin').toSorted().reverse()

/** What `setpriv` is asked for so that a program runs as the user postgres, and ends with us. */
export const asUserPostgres = (program: string, args: readonly string[]): readonly string[] => [
  ...user,
  ...['--pdeathsig', 'KILL', '--', program, ...args],
]

/** The user postgres may not be let into the checkout; this it may write to. */
export function giveToPostgres(place: string): void {
  if (isRoot) execFileSync('chown', ['-R', 'postgres:', place])
}
