import * as folders from './folders.ts'
import * as tokens from './tokens.ts'

/** The whole API, as one visible list. Its order is that of the reference. */
export const operations = [
  folders.createFolder,
  folders.listFolders,
  folders.readFolderTree,
  folders.readFolder,
  folders.renameFolder,
  folders.moveFolder,
  folders.previewFolderDeletion,
  folders.deleteFolder,
  tokens.createToken,
  tokens.listTokens,
  tokens.readCurrentToken,
  tokens.readToken,
  tokens.rotateToken,
  tokens.revokeToken,
] as const
