import { expect, it } from 'vitest'
import { KeyProviderFailed } from '../../content-keys/content-keys.ts'
import { meaningOf } from './drm-keys.ts'

const failed = (reason: KeyProviderFailed['reason']) =>
  new KeyProviderFailed(reason, 'The key provider says tenant-secret')

it('a provider that is away, or out of its mind, is asked again as long as there are attempts', () => {
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
  'somebody has to do something first: %s',
  (reason) => {
    const meaning = meaningOf(failed(reason), false)
    expect(meaning).toMatchObject({ failure: { code: 'key_provider_failed' } })
    // What a provider says is for the log.
    expect(meaning.message).not.toContain('tenant-secret')
    expect(meaning.message).toContain('retry')
  },
)
