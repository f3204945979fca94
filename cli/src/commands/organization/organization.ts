import { Command, Option } from 'commander'
import type { Organization, UpdateOrganizationBody } from 'reelkeep'
import { wholeNumber } from '../../arguments/numbers.ts'
import { collect } from '../../arguments/pairs.ts'
import { setOption } from '../../arguments/sets.ts'
import { type Resolution, resolutions } from '../../arguments/values.ts'
import { type Cli, connect } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { renderFields } from '../../terminal/fields.ts'
import type { Style } from '../../terminal/style.ts'
import { relativeTime } from '../../terminal/times.ts'
import { protectionNames, protectionOf } from '../upload/upload-settings.ts'

export const organizationCommand = (cli: Cli): Command =>
  new Command('organization')
    .description('Show and change the settings of the organization')
    .addCommand(show(cli))
    .addCommand(update(cli))

const show = (cli: Cli) =>
  new Command('show').description('Show the settings').action(async () => {
    const organization = await (await connect(cli)).organization.read()
    cli.output().result(organization, (style) => renderOrganization(organization, style))
  })

type UpdateOptions = {
  readonly name?: string
  readonly protect?: string
  /** False with `--no-resolutions`. */
  readonly resolutions?: readonly Resolution[] | false
  readonly trashDays?: number
  readonly abandonedDays?: number
  readonly versionsKept?: number
  readonly embedOrigin?: readonly string[]
  /** False with `--no-embed-origins`. */
  readonly embedOrigins?: boolean
}

const update = (cli: Cli) =>
  new Command('update')
    .description('Change settings; those that are not given are kept')
    .option('--name <name>', 'Name of the organization')
    .addOption(
      new Option('--protect <type>', 'Content protection of uploads that choose none').choices(protectionNames),
    )
    .addOption(setOption('--resolutions <list>', 'Resolutions of upload sessions that choose none', resolutions))
    .option('--no-resolutions', 'Require every upload session to choose its resolutions')
    .option('--trash-days <days>', 'Days until deleted assets and folders are purged; 0 purges at once', wholeNumber)
    .option('--abandoned-days <days>', 'Days until the asset of an upload without a file is deleted', wholeNumber)
    .option('--versions-kept <count>', 'File versions that an asset keeps', wholeNumber)
    .option('--embed-origin <origin>', 'Site that may embed the player; can be repeated', collect)
    .option('--no-embed-origins', 'Let every site embed the player')
    .action(async (options: UpdateOptions) => {
      const change = changeOf(options)
      if (Object.keys(change).length === 0)
        throw new CommandError('Nothing to change. Give at least one option, such as --trash-days.', exitCodes.usage)
      const organization = await (await connect(cli)).organization.update(change)
      cli.output().result(organization, (style) => renderOrganization(organization, style))
    })

function changeOf(options: UpdateOptions): UpdateOrganizationBody {
  const { name, trashDays, abandonedDays, versionsKept } = options
  const protection = protectionOf(options.protect)
  const origins = options.embedOrigins === false ? [] : options.embedOrigin
  return {
    ...(name !== undefined && { name }),
    ...(protection && protection !== 'disabled' && { default_content_protection_type: protection }),
    ...(options.resolutions && { default_resolutions: [...new Set(options.resolutions)] }),
    ...(options.resolutions === false && { default_resolutions: null }),
    ...(trashDays !== undefined && { trash_days: trashDays }),
    ...(abandonedDays !== undefined && { abandoned_days: abandonedDays }),
    ...(versionsKept !== undefined && { versions_kept: versionsKept }),
    ...(origins && { allowed_embed_origins: [...origins] }),
  }
}

const renderOrganization = (organization: Organization, style: Style): string =>
  renderFields(
    [
      ['organization', organization.id, (text) => style.paint('bold', text)],
      ['name', organization.name],
      ['created', relativeTime(organization.created_at, style.now)],
      ['protection', organization.default_content_protection_type],
      ['resolutions', organization.default_resolutions?.join(', ') ?? 'chosen by each upload session'],
      ['trash', `${organization.trash_days} days`],
      ['abandoned uploads', `${organization.abandoned_days} days`],
      ['versions kept', organization.versions_kept],
      ['embedded by', organization.allowed_embed_origins.join(', ') || 'all sites'],
    ],
    style,
  )
