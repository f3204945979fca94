import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import type { Organization } from '../../../app/organization/organization-type.ts'
import { refreshAssets } from './asset-cache.ts'
import { assetsQuery } from './asset-query.ts'
import { type VideoPages, videosIn } from './video-pages.ts'

const asset = (id: string, status: string) => ({ id, title: id, created_at: '2026-11-18T00:00:00Z', video: { status } })

it('keeps a change that arrives while the next page is being loaded', async () => {
  const next = Promise.withResolvers<object>()
  let status = 'Processing'
  const list = (query: { readonly id?: readonly string[]; readonly cursor?: string }) => {
    if (query.cursor) return next.promise
    return Promise.resolve({ count: 2, nextCursor: query.id ? null : 'next', results: [asset('a', status)] })
  }
  const organization = { id: 'o', client: { assets: { list } } } as unknown as Organization
  const client = new QueryClient()
  const query = assetsQuery(organization, {})
  await client.fetchInfiniteQuery(query)
  const observer = new InfiniteQueryObserver(client, { ...query, staleTime: Number.POSITIVE_INFINITY })
  const unsubscribe = observer.subscribe(() => {})
  const loading = observer.fetchNextPage()

  status = 'Completed'
  const refreshed = refreshAssets(client, organization, ['a'])
  next.resolve({ count: 2, nextCursor: null, results: [asset('b', 'Completed')] })
  await Promise.all([loading, refreshed])
  const data = client.getQueryData(query.queryKey) as VideoPages
  expect(videosIn(data).map((video) => [video.id, video.status])).toEqual([
    ['a', 'Completed'],
    ['b', 'Completed'],
  ])
  unsubscribe()
})
