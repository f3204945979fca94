import { Command } from 'commander'
import type { Subtitle, SubtitleVersion } from 'reelkeep'
import { readInput } from '../arguments/input.ts'
import { type ListOptions, printList, withListOptions } from '../arguments/lists.ts'
import { wholeNumber } from '../arguments/numbers.ts'
import type { Cli } from '../cli.ts'
import { mustConfirm } from '../terminal/prompts.ts'
import { type Column, renderTable } from '../terminal/table.ts'
import { relativeTime } from '../terminal/times.ts'
import { assetHelp, resolveAsset } from './assets/resolve-asset.ts'

export function subtitlesCommand(cli: Cli): Command {
  return new Command('subtitles')
    .description('Manage subtitles of an asset')
    .addCommand(list(cli))
    .addCommand(show(cli))
    .addCommand(add(cli))
    .addCommand(replacement(cli))
    .addCommand(versions(cli))
    .addCommand(activation(cli))
    .addCommand(deletion(cli))
}

const onAsset = (name: string, description: string) =>
  new Command(name).description(description).argument('<asset>', assetHelp)

const columns: readonly Column<Subtitle>[] = [
  { title: 'id', cell: ({ id }) => id },
  { title: 'language', cell: ({ language }) => language },
  { title: 'label', cell: ({ label }) => label, mayShrink: true },
  { title: 'origin', cell: ({ origin }) => origin, rank: 1 },
  { title: 'created', cell: ({ created_at }, { now }) => relativeTime(created_at, now), rank: 2 },
]

const list = (cli: Cli) =>
  withListOptions(onAsset('list', 'List subtitle tracks')).action(async (name: string, { limit, all }: ListOptions) => {
    const { reelkeep, id } = await resolveAsset(cli, name)
    const list = reelkeep.subtitles.list(id, { ...(limit !== undefined && { limit }) })
    await printList(cli, list, { ...(all && { all }), plural: 'subtitle tracks', columns })
  })

const show = (cli: Cli) =>
  onAsset('show', 'Print a subtitle track as WebVTT')
    .argument('<subtitle>', 'Subtitle track id')
    .option('--number <number>', 'Number of an earlier version', wholeNumber)
    .action(async (name: string, id: string, { number }: { number?: number }) => {
      const { reelkeep, id: assetId } = await resolveAsset(cli, name)
      const { subtitles } = reelkeep
      const reading = number === undefined ? subtitles.read(assetId, id) : subtitles.readVersion(assetId, id, number)
      cli.output().text(await reading)
    })

type AddOptions = { readonly language: string; readonly label?: string }

const add = (cli: Cli) =>
  onAsset('add', 'Add a WebVTT or SRT file as a subtitle track')
    .argument('<file>', 'File, or - for stdin')
    .requiredOption('--language <tag>', 'Language tag, such as de or pt-BR')
    .option('--label <text>', 'Name shown to viewers')
    .action(async (name: string, file: string, { language, label }: AddOptions) => {
      const content = await readInput(cli, file)
      const { reelkeep, id } = await resolveAsset(cli, name)
      const track = await reelkeep.subtitles.add(id, { language, content, ...(label && { label }) })
      cli.output().result(track, (style) => renderTable(columns, [track], style))
    })

const replacement = (cli: Cli) =>
  onAsset('replace', 'Replace the text of a subtitle track; the earlier text stays as a version')
    .argument('<subtitle>', 'Subtitle track id')
    .argument('<file>', 'WebVTT or SRT file, or - for stdin')
    .action(async (name: string, id: string, file: string) => {
      const content = await readInput(cli, file)
      const { reelkeep, id: assetId } = await resolveAsset(cli, name)
      const track = await reelkeep.subtitles.replace(assetId, id, { content })
      cli.output().result(track, (style) => renderTable(columns, [track], style))
    })

const versionColumns: readonly Column<SubtitleVersion>[] = [
  { title: 'version', cell: ({ number }) => String(number) },
  { title: 'active', cell: ({ is_active }) => (is_active ? 'yes' : '') },
  { title: 'origin', cell: ({ origin }) => origin },
  { title: 'created', cell: ({ created_at }, { now }) => relativeTime(created_at, now) },
]

const versions = (cli: Cli) =>
  onAsset('versions', 'List the versions of the text of a subtitle track')
    .argument('<subtitle>', 'Subtitle track id')
    .action(async (name: string, id: string) => {
      const { reelkeep, id: assetId } = await resolveAsset(cli, name)
      const list = reelkeep.subtitles.listVersions(assetId, id)
      await printList(cli, list, { plural: 'versions', columns: versionColumns })
    })

const activation = (cli: Cli) =>
  onAsset('activate', 'Show another version of the text of a subtitle track to viewers')
    .argument('<subtitle>', 'Subtitle track id')
    .argument('<number>', 'Number of the version', wholeNumber)
    .action(async (name: string, id: string, number: number) => {
      const { reelkeep, id: assetId } = await resolveAsset(cli, name)
      const track = await reelkeep.subtitles.activateVersion(assetId, id, number)
      cli.output().result(track, (style) => renderTable(columns, [track], style))
    })

const deletion = (cli: Cli) =>
  onAsset('delete', 'Delete a subtitle track')
    .argument('<subtitle>', 'Subtitle track id')
    .option('--yes', 'Skip the confirmation')
    .action(async (name: string, id: string, { yes }: { yes?: true }) => {
      const { reelkeep, id: assetId } = await resolveAsset(cli, name)
      await mustConfirm(cli, { question: `Delete subtitle track ${id} of ${name}?`, yes })
      await reelkeep.subtitles.delete(assetId, id)
      cli.output().result({ asset_id: assetId, id, deleted: true }, () => `Deleted ${id}.`)
    })
