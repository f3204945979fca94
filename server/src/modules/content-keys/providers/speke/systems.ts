/** DRM systems by their DASH-IF system ids. */
export const spekeSystems = {
  widevine: 'edef8ba9-79d6-4ace-a3c8-27dcd51d21ed',
  playready: '9a04f079-9840-4286-ab92-e65be0885f95',
  fairplay: '94ce86fb-07ff-4f43-adb8-93d2fa968ca2',
} as const

export type SpekeSystem = keyof typeof spekeSystems
