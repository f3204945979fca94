type Seen = {
  readonly need: 'always' | 'forms' | 'versions' | 'better'
  readonly state: 'passed' | 'failed' | 'skipped'
}

/** What the service can be on this storage, and how it must be set for that. */
export type Fitness = {
  readonly verdict: 'everything' | 'parts only' | 'unfit'
  /** What has to be told to the service. */
  readonly settings: {
    readonly STORAGE_FORMS: 'on' | 'off'
    readonly STORAGE_VERSIONS: 'on' | 'off'
  }
}

export function judgeStorage(results: readonly Seen[]): Fitness {
  // What was not tried is not known to work.
  const has = (need: Seen['need']) =>
    results.filter((result) => result.need === need).every(({ state }) => state === 'passed')
  const versions = has('versions')
  // A form that is posted again replaces a file unless versions are kept.
  const forms = has('forms') && versions
  const settings = {
    STORAGE_FORMS: forms ? 'on' : 'off',
    STORAGE_VERSIONS: versions ? 'on' : 'off',
  } as const
  if (!has('always')) return { verdict: 'unfit', settings }
  return { verdict: forms ? 'everything' : 'parts only', settings }
}

type Settings = Fitness['settings']

/** Whether the service may run with these settings as they are: it need not use all that storage can do. */
export const isServedBy = ({ verdict, settings }: Fitness, set: Settings) =>
  verdict !== 'unfit' &&
  (settings.STORAGE_FORMS === 'on' || set.STORAGE_FORMS === 'off') &&
  (settings.STORAGE_VERSIONS === 'on' || set.STORAGE_VERSIONS === 'off')
