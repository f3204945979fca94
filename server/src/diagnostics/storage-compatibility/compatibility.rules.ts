import type { CheckResult } from '../checks.ts'
import type { Requirement } from './compatibility-check.ts'

export type CompatibilityResult = CheckResult & { readonly requirement: Requirement }

/** Upload methods that the service can use on this storage, and the settings for them. */
export type Compatibility = {
  readonly compatibility: 'full' | 'parts_only' | 'incompatible'
  /** Settings with which the service can use this storage. */
  readonly settings: {
    readonly STORAGE_FORMS: 'on' | 'off'
    readonly STORAGE_VERSIONS: 'on' | 'off'
  }
}

export function determineCompatibility(
  results: readonly Pick<CompatibilityResult, 'requirement' | 'status'>[],
): Compatibility {
  // A skipped check counts as failed.
  const supports = (requirement: Requirement) =>
    results.filter((result) => result.requirement === requirement).every(({ status }) => status === 'ok')
  const versions = supports('versions')
  // Without versions, posting a form again replaces the file.
  const forms = supports('forms') && versions
  const settings = {
    STORAGE_FORMS: forms ? 'on' : 'off',
    STORAGE_VERSIONS: versions ? 'on' : 'off',
  } as const
  if (!supports('required')) return { compatibility: 'incompatible', settings }
  return { compatibility: forms ? 'full' : 'parts_only', settings }
}

/** Whether the service can run with its current settings; it need not use all features of the storage. */
export const isCompatible = ({ compatibility, settings }: Compatibility, current: Compatibility['settings']) =>
  compatibility !== 'incompatible' &&
  (settings.STORAGE_FORMS === 'on' || current.STORAGE_FORMS === 'off') &&
  (settings.STORAGE_VERSIONS === 'on' || current.STORAGE_VERSIONS === 'off')
