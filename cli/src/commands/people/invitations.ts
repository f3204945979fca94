import { Command } from 'commander'
import type { Invitation } from 'reelkeep'
import { type ListOptions, printList, withListOptions } from '../../arguments/lists.ts'
import { wholeNumber } from '../../arguments/numbers.ts'
import { type Cli, connect } from '../../cli.ts'
import type { Column } from '../../terminal/table.ts'
import { relativeTime } from '../../terminal/times.ts'
import { folderHelp, resolveFolder } from '../folders/resolve-folder.ts'

export function invitationsCommand(cli: Cli): Command {
  return new Command('invitations')
    .description('Invite people to the organization')
    .addCommand(list(cli))
    .addCommand(create(cli))
    .addCommand(revocation(cli))
}

const columns: readonly Column<Invitation>[] = [
  { title: 'id', cell: ({ id }) => id },
  { title: 'email', cell: ({ email }) => email, mayShrink: true },
  { title: 'role', cell: ({ role }) => role.name, mayShrink: true },
  { title: 'expires', cell: ({ expires_at }, { now }) => relativeTime(expires_at, now), rank: 1 },
]

const list = (cli: Cli) =>
  withListOptions(new Command('list'))
    .description('List open invitations, without their links')
    .action(async ({ limit, all }: ListOptions) => {
      const list = (await connect(cli)).invitations.list({ ...(limit !== undefined && { limit }) })
      await printList(cli, list, { ...(all && { all }), plural: 'invitations', columns })
    })

type CreateOptions = { readonly role: string; readonly folder?: string; readonly expiresIn?: number }

/** Creates an invitation. Only the link is written to stdout, so that it can be piped. */
const create = (cli: Cli) =>
  new Command('create')
    .description('Invite a person; the link is shown only once')
    .argument('<email>', 'Email address')
    .requiredOption('--role <role>', 'owner, manager, editor, uploader, viewer, or the id of a custom role')
    .option('--folder <folder>', `Only this folder and everything in it: ${folderHelp}`)
    .option('--expires-in <seconds>', 'How long the link works (default: 7 days)', wholeNumber)
    .action(async (email: string, { role, folder, expiresIn }: CreateOptions) => {
      const reelkeep = await connect(cli)
      const invitation = await reelkeep.invitations.create({
        email,
        role,
        ...(folder !== undefined && { folder_uuid: await resolveFolder(reelkeep, folder) }),
        ...(expiresIn !== undefined && { expires_in_seconds: expiresIn }),
      })
      const sent = invitation.mailed ? ` The link is sent to ${invitation.email}.` : ''
      cli.output().note(`Created invitation ${invitation.id}.${sent} The link is shown only once:`)
      cli.output().result(invitation, () => invitation.link)
    })

const revocation = (cli: Cli) =>
  new Command('revoke')
    .description('Revoke an open invitation')
    .argument('<invitation>', 'Invitation id')
    .action(async (id: string) => {
      await (await connect(cli)).invitations.revoke(id)
      cli.output().result({ id, revoked: true }, () => `Revoked ${id}.`)
    })
