import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** What a browser does by itself is turned off: it asks nobody but the servers of the test. */
const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A page may play with nobody there to press a button.
  '--autoplay-policy=no-user-gesture-required',
]

const CHROMIUM = '/usr/bin/chromium'

/** Debian's. */
export async function openChromium(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) throw new Error(`Please install Debian's package chromium.`)
  return chromium.launch({ executablePath: CHROMIUM, args: chromiumFlags })
}
