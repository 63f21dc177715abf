/** The SHA-256 of a text or of bytes, in hex. */
export const sha256 = (data: string | Uint8Array): string => new Bun.CryptoHasher('sha256').update(data).digest('hex')
