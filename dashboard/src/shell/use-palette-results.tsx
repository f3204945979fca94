import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { SearchResult } from 'reelkeep'
import { useMaybeOrganization } from '../app/organization/organization.tsx'
import type { Organization } from '../app/organization/organization-type.ts'
import { maySearch } from '../app/organization/permitted-pages.ts'
import type { PaletteItem } from './palette-item.ts'
import { PaletteMoment } from './palette-moment.tsx'

const RESULTS_MAX = 6
const MOMENTS_MAX = 5
/** Moments of one video, so that a long talk does not hide the others. */
const MOMENTS_PER_VIDEO_MAX = 2
const MIN_SEARCH_LENGTH = 2

export type PaletteResults = {
  readonly videos: readonly PaletteItem[]
  readonly folders: readonly PaletteItem[]
  readonly moments: readonly PaletteItem[]
  /** Opens the page with all results; undefined if nothing is searched. */
  readonly openSearch: (() => void) | undefined
}

const nothing: PaletteResults = { videos: [], folders: [], moments: [], openSearch: undefined }

/** Videos and folders whose titles contain the term, and moments at which it is said or shown. */
export function usePaletteResults(term: string): PaletteResults {
  const organization = useMaybeOrganization()
  const navigate = useNavigate()
  const isSearched = organization !== undefined && term.length >= MIN_SEARCH_LENGTH
  const found = useQuery({
    queryKey: ['o', organization?.id, 'palette', term],
    enabled: isSearched,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => organization && findByTitle(organization, term, signal),
  }).data
  // Apart from the titles, which are shown as soon as they are found.
  const moments = useQuery({
    queryKey: ['o', organization?.id, 'palette-moments', term],
    enabled: isSearched && maySearch(organization),
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => organization && findMoments(organization, term, signal),
  }).data
  if (!isSearched) return nothing
  const params = { organization: organization.id }
  return {
    videos: (found?.videos ?? []).map(({ id = '', title = '' }) => ({
      ...{ id, label: title },
      run: () => void navigate({ to: '/o/$organization/videos/$video', params: { ...params, video: id } }),
    })),
    folders: (found?.folders ?? []).map(({ uuid, title }) => ({
      ...{ id: uuid, label: title },
      run: () => void navigate({ to: '/o/$organization/library', params, search: { folder: uuid } }),
    })),
    moments: (moments ?? []).map(({ asset, moment }) => ({
      id: `${asset.id} ${moment.kind} ${moment.start_seconds} ${moment.text}`,
      label: moment.text,
      content: <PaletteMoment asset={asset} moment={moment} />,
      run: () =>
        void navigate({
          ...{ to: '/o/$organization/videos/$video', params: { ...params, video: asset.id } },
          search: { t: moment.start_seconds },
        }),
    })),
    openSearch: maySearch(organization)
      ? () => void navigate({ to: '/o/$organization/search', params, search: { q: term } })
      : undefined,
  }
}

async function findByTitle({ client, can }: Organization, term: string, signal: AbortSignal) {
  const query = { q: term, limit: RESULTS_MAX }
  const [videos, folders] = await Promise.all([
    can('assets:read') ? client.assets.list({ ...query, fields: 'id,title' }, { signal }) : undefined,
    can('folders:read') ? client.folders.list(query, { signal }) : undefined,
  ])
  return { videos: videos?.results ?? [], folders: folders?.results ?? [] }
}

/** The best moments in chapters and captions. */
async function findMoments({ client }: Organization, term: string, signal: AbortSignal) {
  const query = { q: term, in: 'chapters,transcript', limit: MOMENTS_MAX }
  const { results } = await client.search.moments(query, { signal })
  return results.flatMap(firstMoments).slice(0, MOMENTS_MAX)
}

const firstMoments = ({ asset, moments }: SearchResult) =>
  moments.slice(0, MOMENTS_PER_VIDEO_MAX).map((moment) => ({ asset, moment }))
