/** Files that operating systems add to folders. */
const systemFile = /^(\.|thumbs\.db$|desktop\.ini$)/i

type NamedFile = { readonly name: string; readonly type: string; readonly size: number }

/** Whether a file may be a video. Browsers do not know the type of every video file; the service decides then. */
export const mayBeVideo = ({ name, type, size }: NamedFile): boolean =>
  size > 0 && !systemFile.test(name) && (type === '' || /^(video\/|application\/(octet-stream|mxf|ogg))/.test(type))
