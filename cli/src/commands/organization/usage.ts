import { Command, Option } from 'commander'
import type { ReadUsageQuery, Usage, UsagePeriod } from 'reelkeep'
import { type Cli, connect } from '../../cli.ts'
import { byteCount } from '../../terminal/amounts.ts'
import { renderFields } from '../../terminal/fields.ts'
import type { Style } from '../../terminal/style.ts'
import { type Column, renderTable } from '../../terminal/table.ts'

export const usageCommand = (cli: Cli): Command =>
  new Command('usage')
    .description('Show what the organization stores, encodes and delivers, and its quotas')
    .option('--from <date>', 'First day, such as 2026-11-01 (default: the last 30 days)')
    .option('--to <date>', 'Last day (default: today)')
    .addOption(new Option('--by <period>', 'Length of a period').choices(['day', 'month']).default('day'))
    .action(async (query: ReadUsageQuery) => {
      const usage = await (await connect(cli)).usage.read(query)
      cli.output().result(usage, (style) => renderUsage(usage, style))
    })

const rounded = (amount: number) => amount.toFixed(1)

const columns: readonly Column<UsagePeriod>[] = [
  { title: 'period', cell: ({ period }) => period },
  { title: 'assets', cell: ({ assets }) => assets, isNumber: true },
  { title: 'sources', cell: ({ source_bytes }) => byteCount(source_bytes), isNumber: true },
  { title: 'renditions', cell: ({ rendition_bytes }) => byteCount(rendition_bytes), isNumber: true },
  { title: 'encoded min', cell: ({ encoded_minutes }) => rounded(encoded_minutes), isNumber: true, rank: 2 },
  { title: 'delivered min', cell: ({ delivered_minutes }) => rounded(delivered_minutes), isNumber: true, rank: 1 },
  { title: 'delivered', cell: ({ delivered_bytes }) => byteCount(delivered_bytes), isNumber: true },
  { title: 'requests', cell: ({ api_requests }) => api_requests, isNumber: true, rank: 3 },
]

function renderUsage({ results, quotas }: Usage, style: Style): string {
  const limited = Object.entries(quotas).filter(([, { limit }]) => limit !== null)
  const fields = limited.map(([name, { limit, used }]) => [`quota ${name}`, `${used} of ${limit}`] as const)
  return [renderTable(columns, results, style), ...(fields.length > 0 ? [renderFields(fields, style)] : [])].join(
    '\n\n',
  )
}
