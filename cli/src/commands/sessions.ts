import { Command, Option } from 'commander'
import type { ListUploadSessionsQuery, UploadSession, UploadSessionDetails } from 'reelkeep'
import { type ListOptions, printList, withListOptions } from '../arguments/lists.ts'
import { sessionStatuses } from '../arguments/values.ts'
import { type Cli, connect } from '../cli.ts'
import { byteCount } from '../terminal/amounts.ts'
import { drawFields } from '../terminal/fields.ts'
import type { Look } from '../terminal/look.ts'
import { mustConfirm } from '../terminal/prompts.ts'
import { paintStatus } from '../terminal/statuses.ts'
import type { Column } from '../terminal/table.ts'
import { relativeTime } from '../terminal/times.ts'

export function sessionsCommand(cli: Cli): Command {
  return new Command('sessions')
    .description('upload sessions: leave to upload one file each')
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
    paint: (text, _, look) => paintStatus(text, look),
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
    .description('sessions, newest first')
    .addOption(
      new Option('--status <status>', 'only those with this status').choices(sessionStatuses),
    )
    .action(async ({ status, limit, all }: SessionListOptions) => {
      const { uploadSessions } = await connect(cli)
      const list = uploadSessions.list({
        ...(status && { status }),
        ...(limit !== undefined && { limit }),
      })
      await printList(cli, list, { ...(all && { all }), things: 'upload sessions', columns })
    })

const onSession = (name: string, description: string) =>
  new Command(name).description(description).argument('<session>', 'its uuid')

const show = (cli: Cli) =>
  onSession('show', 'one session').action(async (uuid: string) => {
    const session = await (await connect(cli)).uploadSessions.read(uuid)
    cli.output().result(session, (look) => drawSession(session, look))
  })

const renew = (cli: Cli) =>
  onSession('renew', 'give a session more time').action(async (uuid: string) => {
    const renewed = await (await connect(cli)).uploadSessions.renew(uuid)
    cli.output().result(renewed, (look) => drawSession(renewed.upload_session, look))
  })

const cancel = (cli: Cli) =>
  onSession('cancel', 'end a session; what has arrived is thrown away')
    .option('--yes', 'do not ask')
    .action(async (uuid: string, { yes }: { yes?: true }) => {
      await mustConfirm(cli, { question: `Cancel the upload session ${uuid}?`, yes })
      await (await connect(cli)).uploadSessions.cancel(uuid)
      cli.output().result({ uuid, cancelled: true }, () => `Cancelled ${uuid}.`)
    })

const drawSession = (session: UploadSession & Partial<UploadSessionDetails>, look: Look): string =>
  drawFields(
    [
      ['session', session.uuid, (text) => look.paint('bold', text)],
      ['status', session.status, (text) => paintStatus(text, look)],
      ['why', session.error?.detail],
      ['asset', session.asset_id],
      ['largest file', byteCount(session.max_file_size_bytes)],
      ['created', session.created_at && relativeTime(session.created_at, look.now)],
      ['expires', relativeTime(session.expires_at, look.now)],
      ['ended', session.ended_at && relativeTime(session.ended_at, look.now)],
    ],
    look,
  )
