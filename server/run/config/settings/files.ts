/** Where uploaded files are stored: in a folder, or in a bucket of S3. */

import { parseText, parseWebAddress, parseWord } from '#run/config/setting-parsers'
import { optional } from './setting'

export const FILE_SETTINGS = {
  filesDir: optional({
    name: 'RELATA_FILES_DIR',
    otherwise: '`files` in `RELATA_DATA_DIR`',
    means: 'The folder of uploaded files; with S3, of uploads on their way there.',
    read: parseText,
  }),
  filesBucket: optional({
    name: 'RELATA_FILES_S3_BUCKET',
    otherwise: 'files are in the folder',
    means: 'The bucket of uploaded files, of S3 or a service with its API.',
    read: parseWord,
  }),
  filesEndpoint: optional({
    name: 'RELATA_FILES_S3_ENDPOINT',
    otherwise: 'S3 itself',
    means: 'The URL of that service.',
    read: parseWebAddress,
  }),
  filesRegion: optional({
    name: 'RELATA_FILES_S3_REGION',
    otherwise: '`us-east-1`',
    means: 'The region of the bucket.',
    read: parseWord,
  }),
  filesAccessKeyId: optional({
    name: 'RELATA_FILES_S3_ACCESS_KEY_ID',
    otherwise: 'none',
    means: 'The id of an access key that may read, write, delete and list objects of the bucket.',
    read: parseWord,
  }),
  filesSecretAccessKey: optional({
    name: 'RELATA_FILES_S3_SECRET_ACCESS_KEY',
    otherwise: 'none',
    means: 'The secret of that access key.',
    read: parseText,
    isSecret: true,
  }),
}
