import { expect, it } from 'vitest'
import { KeyProviderFailed } from '../../content-keys/content-keys.ts'
import { keyFailure } from './protection.ts'

const failed = (reason: KeyProviderFailed['reason']) =>
  new KeyProviderFailed(reason, 'The key provider says tenant-secret')

it('an unavailable key provider, or one with invalid responses, is asked again while attempts are left', () => {
  for (const reason of ['unavailable', 'unreadable'] as const) {
    const error = failed(reason)
    expect(keyFailure(error, false)).toBe(error)
    expect(keyFailure(error, true)).toMatchObject({
      name: 'UnusableFile',
      failure: { code: 'key_provider_failed' },
    })
  }
})

it.each(['missing', 'refused', 'other-keys'] as const)(
  'the operator has to act first: %s',
  (reason) => {
    const failure = keyFailure(failed(reason), false)
    expect(failure).toMatchObject({ failure: { code: 'key_provider_failed' } })
    // The provider's response belongs in the log only.
    expect(failure.message).not.toContain('tenant-secret')
    expect(failure.message).toMatch(/retry/i)
  },
)
