/** Commands about all cells at once. They know them by the directory, and need none of the settings of a cell. */
import { asOrganizationId } from '../../capabilities/organizations/organizations.ts'
import { readDirectory } from '../../cells/directory.ts'
import { abandonMove } from '../../cells/move/abandon.ts'
import { forgetOrganization } from '../../cells/move/forget.ts'
import { moveOrganization } from '../../cells/move/move.ts'
import { routerConfiguration } from '../../cells/router.rules.ts'
import type { CellsConfig } from '../../platform/config/env.ts'
import { onNumbered } from '../on-numbered.ts'
import { type Arguments, needed } from './command.ts'
import { interruption } from './interruption.ts'

/** What it answers is printed; a text as it is. */
export type CellCommand = (args: Arguments, config: CellsConfig) => Promise<object | string>

export const cellCommands: {
  readonly usage: string
  readonly commands: Readonly<Record<string, CellCommand>>
} = {
  usage: `\
  router-configuration                          prints the configuration of the router, for nginx, from the directory CELLS_FILE
  move-organization ORGANIZATION --to CELL [--no-follow]
                                                moves it to another cell; goes on where an earlier run was stopped
  abandon-move ORGANIZATION                     gives up a move that has not arrived; the organization stays where it is
  forget-organization ORGANIZATION --cell CELL  deletes what it left in a cell when it moved
`,
  commands: {
    'router-configuration': async (_, { CELLS_FILE: file }) =>
      routerConfiguration(readDirectory(file)),
    'move-organization': async ({ values, positionals: [organization] }, { CELLS_FILE: file }) => {
      const moved = await moveOrganization({
        directoryFile: file,
        organizationId: asOrganizationId(needed(organization, 'ORGANIZATION')),
        to: needed(values.to, '--to'),
        isFollowing: !values['no-follow'],
        signal: interruption(),
        tell: (line) => process.stderr.write(`${new Date().toISOString()} ${line}\n`),
        onNumbered,
      })
      return {
        ...{ moved: organization, from: moved.from, to: moved.to },
        ...{ rows: moved.rows, jobs: moved.jobs, refused_seconds: moved.refusedSeconds },
        ...{ files_followed: moved.filesFollowed, sessions_open: moved.sessionsOpen },
      }
    },
    'abandon-move': async ({ positionals: [organization] }, { CELLS_FILE: file }) => {
      const id = asOrganizationId(needed(organization, 'ORGANIZATION'))
      const { from, to } = await abandonMove(file, id)
      return { stays_in: from, not_moved_to: to }
    },
    'forget-organization': async (
      { values, positionals: [organization] },
      { CELLS_FILE: file },
    ) => {
      const id = asOrganizationId(needed(organization, 'ORGANIZATION'))
      const cell = needed(values.cell, '--cell')
      return { forgotten: id, cell, rows: await forgetOrganization(file, id, cell) }
    },
  },
}
