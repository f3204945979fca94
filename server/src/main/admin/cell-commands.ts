/** Commands for all cells. They use the cells file and none of the settings of a cell. */

import { readDirectory } from '../../cells/directory.ts'
import { cancelMove } from '../../cells/move/cancel-move.ts'
import { deleteMovedOrganization } from '../../cells/move/delete-moved-organization.ts'
import { moveOrganization } from '../../cells/move/move.ts'
import { routerConfiguration } from '../../cells/router.rules.ts'
import { parseOrganizationId } from '../../modules/organizations/organizations.ts'
import { fanOut } from '../../modules/webhooks/webhooks.ts'
import { type CellCommands, needed } from './command.ts'
import { interruption } from './interruption.ts'

export const cellCommands = {
  'router-configuration': async (_, { CELLS_FILE: file }) => routerConfiguration(readDirectory(file)),
  'move-organization': async ({ values, positionals: [organization] }, { CELLS_FILE: file }, io) => {
    const moved = await moveOrganization({
      directoryFile: file,
      organizationId: parseOrganizationId(needed(organization, 'ORGANIZATION')),
      to: needed(values.to, '--to'),
      isFollowing: !values['no-follow'],
      signal: interruption(io),
      report: (line) => io.stderr.write(`${new Date().toISOString()} ${line}\n`),
      onSequenced: fanOut,
    })
    return {
      ...{ moved: organization, from: moved.from, to: moved.to },
      ...{ rows: moved.rows, jobs: moved.jobs, refused_seconds: moved.refusedSeconds },
      ...{ files_followed: moved.filesFollowed, sessions_open: moved.sessionsOpen },
    }
  },
  'cancel-move': async ({ positionals: [organization] }, { CELLS_FILE: file }) => {
    const id = parseOrganizationId(needed(organization, 'ORGANIZATION'))
    const { from, to } = await cancelMove(file, id)
    return { stays_in: from, not_moved_to: to }
  },
  'delete-moved-organization': async ({ values, positionals: [organization] }, { CELLS_FILE: file }) => {
    const id = parseOrganizationId(needed(organization, 'ORGANIZATION'))
    const cell = needed(values.cell, '--cell')
    return { deleted: id, cell, rows: await deleteMovedOrganization(file, id, cell) }
  },
} satisfies CellCommands
