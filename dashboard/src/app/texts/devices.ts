/** Names of browser and operating system in a user agent; enough to recognize one's own devices in a list. */
export type Device = {
  readonly browser: string | undefined
  readonly system: string | undefined
  readonly isPhone: boolean
}

/** In this order: most browsers also name the ones that they are compatible with. */
const browsers = [
  [/\bEdg(A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
] as const

const systems = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const

const nameIn = (text: string, names: readonly (readonly [RegExp, string])[]) =>
  names.find(([form]) => form.test(text))?.[1]

export function deviceOf(userAgent: string): Device {
  return {
    browser: nameIn(userAgent, browsers),
    system: nameIn(userAgent, systems),
    isPhone: /\b(iPhone|Mobile)\b/.test(userAgent),
  }
}
