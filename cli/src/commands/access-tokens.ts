import { Command } from 'commander'
import type { AccessToken } from 'reelkeep'
import { type ListOptions, printList, withListOptions } from '../arguments/lists.ts'
import type { Cli } from '../cli.ts'
import type { Look } from '../terminal/look.ts'
import { mustConfirm } from '../terminal/prompts.ts'
import type { Column } from '../terminal/table.ts'
import { relativeTime } from '../terminal/times.ts'
import { assetHelp, namedAsset } from './assets/named-asset.ts'

export function accessTokensCommand(cli: Cli): Command {
  return new Command('access-tokens')
    .description('what viewers watch a video with; `assets link` makes one')
    .addCommand(list(cli))
    .addCommand(revoke(cli))
}

const columns: readonly Column<AccessToken>[] = [
  { title: 'id', cell: ({ id }) => id },
  { title: 'viewer', cell: ({ viewer_id }) => viewer_id, mayShrink: true },
  { title: 'state', cell: stateOf },
  { title: 'created', cell: ({ created_at }, { now }) => relativeTime(created_at, now), rank: 1 },
]

function stateOf(token: AccessToken, { now }: Look): string {
  if (token.revoked_at) return `revoked ${relativeTime(token.revoked_at, now)}`
  if (token.used_at) return `used ${relativeTime(token.used_at, now)}`
  return `ends ${relativeTime(token.expires_at, now)}`
}

const list = (cli: Cli) =>
  withListOptions(new Command('list'))
    .description('access tokens of a video, newest first')
    .argument('<asset>', assetHelp)
    .action(async (name: string, { limit, all }: ListOptions) => {
      const { reelkeep, id } = await namedAsset(cli, name)
      const list = reelkeep.accessTokens.list(id, { ...(limit !== undefined && { limit }) })
      await printList(cli, list, { ...(all && { all }), things: 'access tokens', columns })
    })

const revoke = (cli: Cli) =>
  new Command('revoke')
    .description('end an access token; whoever has it watches no more')
    .argument('<asset>', assetHelp)
    .argument('<access-token>', 'its id')
    .option('--yes', 'do not ask')
    .action(async (name: string, id: string, { yes }: { yes?: true }) => {
      const { reelkeep, id: assetId } = await namedAsset(cli, name)
      await mustConfirm(cli, { question: `Revoke the access token ${id}?`, yes })
      await reelkeep.accessTokens.revoke(assetId, id)
      cli.output().result({ asset_id: assetId, id, revoked: true }, () => `Revoked ${id}.`)
    })
