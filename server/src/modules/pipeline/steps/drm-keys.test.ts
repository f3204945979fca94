import { expect, it } from 'vitest'
import { KeyProviderFailed } from '../../content-keys/content-keys.ts'
import { meaningOf } from './drm-keys.ts'

const failed = (reason: KeyProviderFailed['reason']) =>
  new KeyProviderFailed(reason, 'The key provider says tenant-secret')

it('an unavailable key provider, or one with invalid responses, is asked again while attempts are left', () => {
  for (const reason of ['unavailable', 'unreadable'] as const) {
    const error = failed(reason)
    expect(meaningOf(error, false)).toBe(error)
    expect(meaningOf(error, true)).toMatchObject({
      name: 'UnusableFile',
      failure: { code: 'key_provider_failed' },
    })
  }
})

it.each(['missing', 'refused', 'other-keys'] as const)(
  'the operator has to act first: %s',
  (reason) => {
    const meaning = meaningOf(failed(reason), false)
    expect(meaning).toMatchObject({ failure: { code: 'key_provider_failed' } })
    // The provider's response belongs in the log only.
    expect(meaning.message).not.toContain('tenant-secret')
    expect(meaning.message).toMatch(/retry/i)
  },
)
