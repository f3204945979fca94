import { Command } from 'commander'
import type { AccessToken } from 'reelkeep'
import { type ListOptions, printList, withListOptions } from '../arguments/lists.ts'
import { type Cli, connect } from '../cli.ts'
import { mustConfirm } from '../terminal/prompts.ts'
import type { Style } from '../terminal/style.ts'
import type { Column } from '../terminal/table.ts'
import { relativeTime } from '../terminal/times.ts'
import { assetHelp, resolveAsset } from './assets/resolve-asset.ts'

export function accessTokensCommand(cli: Cli): Command {
  return new Command('access-tokens')
    .description('Manage access tokens of viewers (create one with `assets link`)')
    .addCommand(list(cli))
    .addCommand(revoke(cli))
    .addCommand(revokeAll(cli))
}

const columns: readonly Column<AccessToken>[] = [
  { title: 'id', cell: ({ id }) => id },
  { title: 'viewer', cell: ({ viewer_id }) => viewer_id, mayShrink: true },
  { title: 'state', cell: stateOf },
  { title: 'created', cell: ({ created_at }, { now }) => relativeTime(created_at, now), rank: 1 },
]

function stateOf(token: AccessToken, { now }: Style): string {
  if (token.revoked_at) return `revoked ${relativeTime(token.revoked_at, now)}`
  if (token.used_at) return `used ${relativeTime(token.used_at, now)}`
  return `expires ${relativeTime(token.expires_at, now)}`
}

const list = (cli: Cli) =>
  withListOptions(new Command('list'))
    .description('List access tokens of an asset, newest first')
    .argument('<asset>', assetHelp)
    .action(async (name: string, { limit, all }: ListOptions) => {
      const { reelkeep, id } = await resolveAsset(cli, name)
      const list = reelkeep.accessTokens.list(id, { ...(limit !== undefined && { limit }) })
      await printList(cli, list, { ...(all && { all }), plural: 'access tokens', columns })
    })

const revoke = (cli: Cli) =>
  new Command('revoke')
    .description('Revoke an access token; the viewer can no longer watch')
    .argument('<asset>', assetHelp)
    .argument('<access-token>', 'Access token id')
    .option('--yes', 'Skip the confirmation')
    .action(async (name: string, id: string, { yes }: { yes?: true }) => {
      const { reelkeep, id: assetId } = await resolveAsset(cli, name)
      await mustConfirm(cli, { question: `Revoke the access token ${id}?`, yes })
      await reelkeep.accessTokens.revoke(assetId, id)
      cli.output().result({ asset_id: assetId, id, revoked: true }, () => `Revoked ${id}.`)
    })

const revokeAll = (cli: Cli) =>
  new Command('revoke-all')
    .description('Revoke all access tokens and playback URLs of the organization')
    .option('--yes', 'Skip the confirmation')
    .action(async ({ yes }: { yes?: true }) => {
      const reelkeep = await connect(cli)
      await mustConfirm(cli, { question: 'Revoke all access tokens and playback URLs of the organization?', yes })
      await reelkeep.accessTokens.revokeAll()
      cli.output().result({ revoked: true }, () => 'Revoked all access tokens and playback URLs.')
    })
