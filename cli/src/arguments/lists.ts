import type { Command } from 'commander'
import type { List, Page } from 'reelkeep'
import type { Cli } from '../cli.ts'
import { CommandError, exitCodes } from '../exit-codes.ts'
import { type Column, drawTable } from '../terminal/table.ts'
import { wholeNumber } from './numbers.ts'

/** A terminal and a memory have an end; who needs more asks the API page by page. */
export const ITEMS_MAX = 100_000

export type ListOptions = { readonly limit?: number; readonly all?: true }

export const withListOptions = (command: Command): Command =>
  command
    .option('--limit <count>', 'how many to show', wholeNumber)
    .option('--all', 'show all of them, however many there are')

/** The first page, or all of a list. */
export async function printList<Item>(
  cli: Cli,
  list: List<Page<Item>>,
  {
    all,
    things,
    columns,
  }: ListOptions & { readonly things: string; readonly columns: readonly Column<Item>[] },
): Promise<void> {
  const page = await list
  const { items, isTooLong } = all
    ? await everyItem(list)
    : { items: page.results, isTooLong: false }
  const output = cli.output()
  if (items.length === 0 && !output.isJson) return output.note(`No ${things}.`)
  output.result(items, (look) => drawTable(columns, items, look))
  if (isTooLong) throw tooMany(things)
  if (!all && page.next !== null) output.warning(rest(page.count, items.length, things))
}

export const tooMany = (things: string): CommandError =>
  new CommandError(
    `There are more than ${ITEMS_MAX.toLocaleString('en')} ${things}, which is as many as are shown.`,
    exitCodes.failed,
    'Narrow the list, or ask the API page by page.',
  )

const rest = (count: number | undefined, shown: number, things: string) =>
  count === undefined
    ? 'There are more. All of them: --all'
    : `${shown.toLocaleString('en')} of ${count.toLocaleString('en')} ${things}. All of them: --all`

async function everyItem<Item>(list: List<Page<Item>>) {
  const items: Item[] = []
  for await (const item of list) {
    if (items.length >= ITEMS_MAX) return { items, isTooLong: true }
    items.push(item)
  }
  return { items, isTooLong: false }
}
