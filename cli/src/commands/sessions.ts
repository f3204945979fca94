import { Command, Option } from 'commander'
import type { ListUploadSessionsQuery, NewUploadSession, UploadSession, UploadSessionDetails } from 'reelkeep'
import { type ListOptions, printList, withListOptions } from '../arguments/lists.ts'
import { wholeNumber } from '../arguments/numbers.ts'
import { setOption } from '../arguments/sets.ts'
import { type Resolution, resolutions, sessionStatuses } from '../arguments/values.ts'
import { type Cli, connect } from '../cli.ts'
import { byteCount } from '../terminal/amounts.ts'
import { renderFields } from '../terminal/fields.ts'
import { mustConfirm } from '../terminal/prompts.ts'
import { paintStatus } from '../terminal/statuses.ts'
import type { Style } from '../terminal/style.ts'
import type { Column } from '../terminal/table.ts'
import { relativeTime } from '../terminal/times.ts'
import { folderHelp, resolveFolder } from './folders/resolve-folder.ts'
import { resolutionsHelp, toUploadSettings, withResolutions } from './upload/upload-settings.ts'

export function sessionsCommand(cli: Cli): Command {
  return new Command('sessions')
    .description('Manage upload sessions (one per file)')
    .addCommand(list(cli))
    .addCommand(create(cli))
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

type CreateOptions = {
  readonly folder?: string
  readonly resolutions?: readonly Resolution[]
  readonly maxFileSize?: number
  readonly expiresIn?: number
  readonly uploadToken?: true
}

const create = (cli: Cli) =>
  new Command('create')
    .description('Create an upload session for another program or for a web page')
    .argument('<title>', 'Title of the video')
    .option('--folder <folder>', `Target folder (default: root): ${folderHelp}`)
    .addOption(setOption('--resolutions <list>', resolutionsHelp, resolutions))
    .option('--max-file-size <bytes>', 'Maximum size of the file', wholeNumber)
    .option('--expires-in <seconds>', 'Lifetime of the session, from 300 seconds', wholeNumber)
    .option('--upload-token', 'Create a token with which a web page can upload the file; it is shown only once')
    .action(async (title: string, options: CreateOptions) => {
      const reelkeep = await connect(cli)
      const folder = options.folder === undefined ? null : await resolveFolder(reelkeep, options.folder)
      const input = {
        title,
        folder,
        ...toUploadSettings(options),
        ...(options.maxFileSize !== undefined && { max_file_size_bytes: options.maxFileSize }),
        ...(options.expiresIn !== undefined && { expires_in_seconds: options.expiresIn }),
        ...(options.uploadToken && { upload_token: true }),
      }
      const created = await withResolutions(input, (given) => reelkeep.uploadSessions.create(given))
      printNewSession(cli, created)
    })

/** Prints the session to stderr, and what a program needs to stdout: the upload token, or the uuid without one. */
function printNewSession(cli: Cli, created: NewUploadSession): void {
  const { asset, upload_session: session, upload_token: token } = created
  cli.output().note((style) => renderSession({ ...session, asset_id: asset.id }, style))
  if (token) cli.output().note(({ paint }) => paint('gray', 'The upload token is shown only once:'))
  cli.output().result(created, () => token ?? session.uuid)
}

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
