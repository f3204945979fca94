import { usage as contract } from '@reelkeep/contract'
import { type Api, route } from '../../platform/http/route.ts'
import { readUsage, type UsageDay } from './usage.ts'

export function registerUsageRoutes(api: Api): void {
  route(api, contract.readUsage, async ({ db, query }) => {
    const { from, to, by = 'day' } = query
    const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
    const usage = await readUsage(db, { ...range, by }, Date.now())
    const { storedBytes, assets, encodedMinutes, openSessions } = usage.quotas
    return {
      from: usage.from,
      to: usage.to,
      quotas: {
        stored_bytes: storedBytes,
        assets,
        encoded_minutes: encodedMinutes,
        open_sessions: openSessions,
      },
      results: usage.periods.map(toPeriod),
    }
  })
}

const toMinutes = (seconds: number) => Math.round((seconds / 60) * 1000) / 1000

const toPeriod = (period: UsageDay): contract.UsagePeriod => ({
  period: period.day,
  stored_bytes: period.storedBytes,
  source_bytes: period.storedBytes - period.renditionBytes,
  rendition_bytes: period.renditionBytes,
  assets: period.assets,
  encoded_minutes: toMinutes(period.encodedSeconds),
  delivered_minutes: toMinutes(period.deliveredSeconds),
  delivered_bytes: period.deliveredBytes,
  api_requests: period.apiRequests,
})
