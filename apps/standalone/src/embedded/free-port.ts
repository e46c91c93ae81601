import { createServer, type AddressInfo } from 'node:net';

/**
 * A TCP port of the loopback interface that was free a moment ago: the wanted one, if that was. Somebody may take it before its server
 * binds it, so who starts a server there checks by pid who answers, and tries again with another port.
 */
export function findFreePort(wanted = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error) => (wanted === 0 ? reject(error) : resolve(findFreePort())));
    probe.listen(wanted, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
