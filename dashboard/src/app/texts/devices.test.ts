import { describe, expect, it } from 'vitest'
import { deviceOf } from './devices.ts'

const safariOn = (system: string) => `Mozilla/5.0 (${system}) AppleWebKit/605.1.15 (KHTML, like Gecko)`

describe('deviceOf', () => {
  it.each([
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
      'Chrome',
      'Linux',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
      'Edge',
      'Windows',
    ],
    ['Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0', 'Firefox', 'Linux'],
    [`${safariOn('Macintosh; Intel Mac OS X 10_15_7')} Version/18.5 Safari/605.1.15`, 'Safari', 'macOS'],
    ['Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36', 'Chrome', 'Android'],
    ['curl/8.5.0', undefined, undefined],
    ['', undefined, undefined],
  ])('%s', (userAgent, browser, system) => {
    expect(deviceOf(userAgent)).toMatchObject({ browser, system })
  })

  it('recognizes an iPhone', () => {
    const userAgent = `${safariOn('iPhone; CPU iPhone OS 18_5 like Mac OS X')} Version/18.5 Mobile/15E148 Safari/604.1`
    expect(deviceOf(userAgent)).toEqual({ browser: 'Safari', system: 'iPhone', isPhone: true })
  })
})
