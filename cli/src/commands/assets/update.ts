import { Command } from 'commander'
import type { UpdateAssetBody } from 'reelkeep'
import { collect, collectPair } from '../../arguments/pairs.ts'
import type { Cli } from '../../cli.ts'
import { CommandError, exitCodes } from '../../exit-codes.ts'
import { renderAsset } from './render-asset.ts'
import { assetHelp, resolveAsset } from './resolve-asset.ts'

type UpdateOptions = {
  readonly title?: string
  readonly description?: string
  readonly tag?: string[]
  /** False with `--no-tags`. */
  readonly tags?: boolean
  readonly externalId?: string
  readonly metadata?: Record<string, string | null>
  readonly legalHold?: boolean
}

export const updateCommand = (cli: Cli) =>
  new Command('update')
    .description('Change the title, description, tags, external ID, metadata or legal hold of an asset')
    .argument('<asset>', assetHelp)
    .option('--title <title>', 'New title')
    .option('--description <text>', 'New description; empty to remove it')
    .option('--tag <tag>', 'New tag, instead of the current ones; can be repeated', collect)
    .option('--no-tags', 'Remove all tags')
    .option('--external-id <id>', 'Your own identifier; empty to remove it')
    .option('--metadata <key=value>', 'Set a key, or remove it with an empty value; can be repeated', collectPair)
    .option('--legal-hold', 'Refuse to delete the asset')
    .option('--no-legal-hold', 'Lift the legal hold')
    .action(async (name: string, options: UpdateOptions) => {
      const change = changeOf(options)
      if (Object.keys(change).length === 0)
        throw new CommandError('Nothing to change. Give at least one option, such as --title.', exitCodes.usage)
      const { reelkeep, id } = await resolveAsset(cli, name)
      const asset = await reelkeep.assets.update(id, change)
      cli.output().result(asset, (style) => renderAsset(asset, style))
    })

function changeOf({ title, description, tag, tags, externalId, metadata, legalHold }: UpdateOptions) {
  const newTags = tags === false ? [] : tag
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(newTags && { tags: newTags }),
    ...(externalId !== undefined && { external_id: externalId || null }),
    ...(metadata && { metadata }),
    ...(legalHold !== undefined && { legal_hold: legalHold }),
  } satisfies UpdateAssetBody
}
