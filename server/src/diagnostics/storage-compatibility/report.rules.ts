type ProbeState = {
  readonly need: 'always' | 'forms' | 'versions' | 'better'
  readonly state: 'passed' | 'failed' | 'skipped'
}

/** What the service can do on this storage, and the settings for it. */
export type CompatibilityReport = {
  readonly verdict: 'everything' | 'parts only' | 'unfit'
  /** Settings of the service. */
  readonly settings: {
    readonly STORAGE_FORMS: 'on' | 'off'
    readonly STORAGE_VERSIONS: 'on' | 'off'
  }
}

export function compatibilityReport(results: readonly ProbeState[]): CompatibilityReport {
  // A skipped probe counts as failed.
  const has = (need: ProbeState['need']) =>
    results.filter((result) => result.need === need).every(({ state }) => state === 'passed')
  const versions = has('versions')
  // Without versions, posting a form again replaces the file.
  const forms = has('forms') && versions
  const settings = {
    STORAGE_FORMS: forms ? 'on' : 'off',
    STORAGE_VERSIONS: versions ? 'on' : 'off',
  } as const
  if (!has('always')) return { verdict: 'unfit', settings }
  return { verdict: forms ? 'everything' : 'parts only', settings }
}

type Settings = CompatibilityReport['settings']

/** Whether the service can run with its current settings; it need not use all features of the storage. */
export const isCompatible = ({ verdict, settings }: CompatibilityReport, current: Settings) =>
  verdict !== 'unfit' &&
  (settings.STORAGE_FORMS === 'on' || current.STORAGE_FORMS === 'off') &&
  (settings.STORAGE_VERSIONS === 'on' || current.STORAGE_VERSIONS === 'off')
