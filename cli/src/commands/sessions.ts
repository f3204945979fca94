import { Command, Option } from 'commander'
import type { ListUploadSessionsQuery, UploadSession, UploadSessionDetails } from 'reelkeep'
import { type ListOptions, printList, withListOptions } from '../arguments/lists.ts'
import { sessionStatuses } from '../arguments/values.ts'
import { type Cli, connect } from '../cli.ts'
import { byteCount } from '../terminal/amounts.ts'
import { renderFields } from '../terminal/fields.ts'
import { mustConfirm } from '../terminal/prompts.ts'
import { paintStatus } from '../terminal/statuses.ts'
import type { Style } from '../terminal/style.ts'
import type { Column } from '../terminal/table.ts'
import { relativeTime } from '../terminal/times.ts'

export function sessionsCommand(cli: Cli): Command {
  return new Command('sessions')
    .description('Manage upload sessions (one per file)')
    .addCommand(list(cli))
    .addCommand(show(cli))
    .addCommand(renew(cli))
    .addCommand(cancel(cli))
}

const columns: readonly Column<UploadSessionDetails>[] = [
  { title: 'uuid', cell: ({ uuid }) => uuid },
  {
    title: 'status',
    cell: ({ status }) => status,
    paint: (text, _, style) => paintStatus(text, style),
  },
  { title: 'asset', cell: ({ asset_id }) => asset_id, rank: 3 },
  { title: 'created', cell: ({ created_at }, { now }) => relativeTime(created_at, now), rank: 2 },
  { title: 'expires', cell: ({ expires_at }, { now }) => relativeTime(expires_at, now), rank: 1 },
]

type SessionListOptions = ListOptions & {
  readonly status?: NonNullable<ListUploadSessionsQuery['status']>
}

const list = (cli: Cli) =>
  withListOptions(new Command('list'))
    .description('List upload sessions, newest first')
    .addOption(new Option('--status <status>', 'Only sessions with this status').choices(sessionStatuses))
    .action(async ({ status, limit, all }: SessionListOptions) => {
      const { uploadSessions } = await connect(cli)
      const list = uploadSessions.list({
        ...(status && { status }),
        ...(limit !== undefined && { limit }),
      })
      await printList(cli, list, { ...(all && { all }), plural: 'upload sessions', columns })
    })

const onSession = (name: string, description: string) =>
  new Command(name).description(description).argument('<session>', 'Session uuid')

const show = (cli: Cli) =>
  onSession('show', 'Show an upload session').action(async (uuid: string) => {
    const session = await (await connect(cli)).uploadSessions.read(uuid)
    cli.output().result(session, (style) => renderSession(session, style))
  })

const renew = (cli: Cli) =>
  onSession('renew', 'Extend an upload session').action(async (uuid: string) => {
    const renewed = await (await connect(cli)).uploadSessions.renew(uuid)
    cli.output().result(renewed, (style) => renderSession(renewed.upload_session, style))
  })

const cancel = (cli: Cli) =>
  onSession('cancel', 'Cancel an upload session and discard received bytes')
    .option('--yes', 'Skip the confirmation')
    .action(async (uuid: string, { yes }: { yes?: true }) => {
      await mustConfirm(cli, { question: `Cancel the upload session ${uuid}?`, yes })
      await (await connect(cli)).uploadSessions.cancel(uuid)
      cli.output().result({ uuid, cancelled: true }, () => `Cancelled ${uuid}.`)
    })

const renderSession = (session: UploadSession & Partial<UploadSessionDetails>, style: Style): string =>
  renderFields(
    [
      ['session', session.uuid, (text) => style.paint('bold', text)],
      ['status', session.status, (text) => paintStatus(text, style)],
      ['error', session.error?.detail],
      ['asset', session.asset_id],
      ['max file size', byteCount(session.max_file_size_bytes)],
      ['created', session.created_at && relativeTime(session.created_at, style.now)],
      ['expires', relativeTime(session.expires_at, style.now)],
      ['ended', session.ended_at && relativeTime(session.ended_at, style.now)],
    ],
    style,
  )
