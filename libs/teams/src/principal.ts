/** Who a request comes from. */
export interface Principal {
  readonly teamId: string;
  readonly role: 'member' | 'admin';
  /** For the audit log and the rate limit: the key's id, or `bootstrap`. */
  readonly keyId: string;
}
