/** The audit log, verified as a client would: with nothing but the export. */
import { createHash } from 'node:crypto'
import type { audit, tokens } from '@reelkeep/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Deployment } from './deployment.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await Deployment.open()
})
afterAll(() => deployment[Symbol.asyncDispose]())

type Entries = { readonly results: audit.AuditEntry[]; readonly next: string | null }

/** JSON with sorted keys and without spaces. */
function canonical(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const names = Object.keys(value).sort() as (keyof typeof value)[]
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`
}

describe('the audit log', () => {
  it('has an entry for a change and for a refusal, found by its filters', async () => {
    const { mine } = deployment
    const folder = await mine.post<{ uuid: string }>('assets/folders/', { title: deployment.unique() })
    const weak = await mine.post<tokens.NewToken>('tokens/', { name: 'Weak', scopes: ['assets:read'] })
    expect((await mine.withToken(weak.body.token).get('webhooks/')).status).toBe(403)
    const created = await mine.get<Entries>(`audit/?object=${folder.body.uuid}`)
    expect(created.body.results).toMatchObject([
      { action: 'createFolder', object: { type: 'folder', id: folder.body.uuid }, outcome: 'success' },
    ])
    expect(created.body.results[0]?.request_id).toBe(folder.headers['x-request-id'])
    const refused = await mine.get<Entries>(`audit/?actor=${weak.body.id}&outcome=refused`)
    expect(refused.body.results).toMatchObject([
      { action: 'listWebhooks', error_code: 'insufficient_scope', actor: { kind: 'token', name: 'Weak' } },
    ])
    const none = await mine.get<Entries>(`audit/?object=${folder.body.uuid}&created_before=2020-01-01T00:00:00Z`)
    expect(none.body.results).toEqual([])
    expect((await mine.withToken(weak.body.token).get('audit/')).status).toBe(403)
  })

  it('is exported as a chain of hashes that ends with the published end', async () => {
    const { mine } = deployment
    for (let index = 0; index < 3; index++) await mine.post('assets/folders/', { title: deployment.unique() })
    const head = await mine.get<audit.AuditHead>('audit/head/')
    const { text } = await mine.get('audit/export/')
    const entries = text.trimEnd().split('\n')
    let before: audit.AuditEntry | undefined
    for (const line of entries) {
      const entry = JSON.parse(line) as audit.AuditEntry
      const { hash, ...content } = entry
      expect(createHash('sha256').update(canonical(content)).digest('hex')).toBe(hash)
      if (before) expect([entry.number, entry.previous_hash]).toEqual([before.number + 1, before.hash])
      before = entry
      if (entry.number === head.body.number) expect(hash).toBe(head.body.hash)
    }
    expect(before?.number).toBeGreaterThanOrEqual(head.body.number)
  })

  it('has pages, newest first', async () => {
    const { mine } = deployment
    const first = await mine.get<Entries>('audit/?limit=2')
    const second = await mine.get<Entries>(first.body.next ?? '')
    const numbers = [...first.body.results, ...second.body.results].map(({ number }) => number)
    expect(numbers).toEqual(numbers.toSorted((a, b) => b - a))
    expect(new Set(numbers).size).toBe(numbers.length)
  })
})
