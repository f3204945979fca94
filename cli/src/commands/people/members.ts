import { Command } from 'commander'
import type { Member } from 'reelkeep'
import { type ListOptions, printList, withListOptions } from '../../arguments/lists.ts'
import { type Cli, connect } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { renderFields } from '../../terminal/fields.ts'
import { mustConfirm } from '../../terminal/prompts.ts'
import type { Style } from '../../terminal/style.ts'
import type { Column } from '../../terminal/table.ts'
import { relativeTime } from '../../terminal/times.ts'
import { printable } from '../../terminal/width.ts'
import { folderHelp, resolveFolder } from '../folders/resolve-folder.ts'

export function membersCommand(cli: Cli): Command {
  return new Command('members')
    .description('Manage the people who can act for the organization')
    .addCommand(list(cli))
    .addCommand(show(cli))
    .addCommand(update(cli))
    .addCommand(removal(cli))
    .addCommand(recoveryLink(cli))
}

const columns: readonly Column<Member>[] = [
  { title: 'id', cell: ({ id }) => id },
  { title: 'name', cell: ({ name }) => name, mayShrink: true },
  { title: 'email', cell: ({ email }) => email ?? '', mayShrink: true, rank: 1 },
  { title: 'role', cell: ({ role }) => role.name, mayShrink: true },
  { title: 'active', cell: ({ last_active_at }, { now }) => timeOrNever(last_active_at, now), rank: 2 },
]

const timeOrNever = (iso: string | null, now: Date) => (iso ? relativeTime(iso, now) : 'never')

type MemberListOptions = ListOptions & { readonly query?: string; readonly role?: string }

const list = (cli: Cli) =>
  withListOptions(new Command('list'))
    .description('List members, newest first')
    .option('--query <text>', 'Only members whose name or email address contains this text')
    .option('--role <role>', 'Only members with this role')
    .action(async ({ limit, all, query, role }: MemberListOptions) => {
      const list = (await connect(cli)).members.list({
        ...(limit !== undefined && { limit }),
        ...(query !== undefined && { q: query }),
        ...(role !== undefined && { role }),
      })
      await printList(cli, list, { ...(all && { all }), plural: 'members', columns })
    })

const onMember = (name: string, description: string) =>
  new Command(name).description(description).argument('<member>', 'Member id')

const show = (cli: Cli) =>
  onMember('show', 'Show a member').action(async (id: string) => {
    const member = await (await connect(cli)).members.read(id)
    cli.output().result(member, (style) => renderMember(member, style))
  })

const update = (cli: Cli) =>
  onMember('update', 'Change the role or the folder of a member')
    .option('--role <role>', 'owner, manager, editor, uploader, viewer, or the id of a custom role')
    .option('--folder <folder>', `Only this folder: ${folderHelp}; root removes the limit`)
    .action(async (id: string, { role, folder }: { role?: string; folder?: string }) => {
      if (role === undefined && folder === undefined)
        throw new CommandError('Nothing to change. Use --role or --folder.', exitCodes.usage)
      const reelkeep = await connect(cli)
      const member = await reelkeep.members.update(id, {
        ...(role !== undefined && { role }),
        ...(folder !== undefined && { folder_uuid: await resolveFolder(reelkeep, folder) }),
      })
      cli.output().result(member, (style) => renderMember(member, style))
    })

const removal = (cli: Cli) =>
  onMember('remove', 'Remove a member')
    .option('--descendants', 'Also end everything that the member created')
    .option('--yes', 'Skip the confirmation')
    .action(async (id: string, { descendants, yes }: { descendants?: true; yes?: true }) => {
      const { members } = await connect(cli)
      const { name } = await members.read(id)
      const question = descendants ? `Remove ${name} and everything they created?` : `Remove ${name}?`
      await mustConfirm(cli, { question, yes })
      await members.remove(id, descendants ? { descendants } : {})
      cli.output().result({ id, removed: true }, () => `Removed ${printable(name)}.`)
    })

/** Prints the link. Only the link is written to stdout, so that it can be piped. */
const recoveryLink = (cli: Cli) =>
  onMember('recovery-link', 'Create a link with which a member sets a new password or passkey').action(
    async (id: string) => {
      const created = await (await connect(cli)).members.createRecoveryLink(id)
      cli.output().note('The link works once, within 24 hours, and is shown only once:')
      cli.output().result(created, () => created.link)
    },
  )

const renderMember = (member: Member, style: Style): string =>
  renderFields(
    [
      ['member', member.name, (text) => style.paint('bold', text)],
      ['id', member.id],
      ['email', member.email],
      ['role', member.role.name],
      ['scopes', member.scopes.join(', ')],
      ['folder', member.folder_uuid],
      ['signs in with', member.issuer],
      ['joined', relativeTime(member.created_at, style.now)],
      ['invited by', member.created_by.name ?? member.created_by.id ?? 'the operator'],
      ['expires', member.expires_at && relativeTime(member.expires_at, style.now)],
      ['active', timeOrNever(member.last_active_at, style.now)],
    ],
    style,
  )
