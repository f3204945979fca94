import { audit as contract } from '@reelkeep/contract'
import type { OrganizationDb } from '../../platform/db/database.ts'
import { pageRequestOf, toUncountedPage } from '../../platform/http/page.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { type ExportRange, exportEntries, isNumberKey, listEntries, readHead } from './audit.ts'
import { toEntry } from './audit.wire.ts'

/** Time after which a client that reads nothing of an export is disconnected. */
const STALL_SECONDS_MAX = 60

export function registerAuditRoutes(api: Api): void {
  route(api, contract.listAuditEntries, async ({ db, query, listUrl }) => {
    const filter = {
      actorId: query.actor ?? null,
      action: query.action ?? null,
      objectId: query.object ?? null,
      outcome: query.outcome ?? null,
      ...timesOf(query),
    }
    return toUncountedPage(listUrl, await listEntries(db, filter, pageRequestOf(query, isNumberKey)), toEntry)
  })

  route(api, contract.exportAuditEntries, async ({ db, query }) => {
    const range = { ...timesOf(query), after: query.after ?? 0, limit: contract.EXPORT_ENTRIES_MAX }
    return { open: () => exportLines(db, range), stallSecondsMax: STALL_SECONDS_MAX }
  })

  route(api, contract.readAuditHead, async ({ db }) => readHead(db))
}

const timesOf = ({ created_after, created_before }: { created_after?: string; created_before?: string }) => ({
  createdAfter: created_after ?? null,
  createdBefore: created_before ?? null,
})

async function* exportLines(db: OrganizationDb, range: ExportRange): AsyncGenerator<string> {
  for await (const entries of exportEntries(db, range))
    yield entries.map((entry) => `${JSON.stringify(toEntry(entry))}\n`).join('')
}
