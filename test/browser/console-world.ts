import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { Product, type ProductOptions } from '../support/product';
import { FrontDoor } from './front-door';

/** What a page did that it must not do. */
interface Misdeeds {
  /** Requests to any other origin than the console's. */
  readonly strangers: string[];
  /** Refusals by the content security policy, and errors nobody caught. */
  readonly complaints: string[];
}

/** The product, its console in a browser, and what every page that was opened did wrong. */
export class ConsoleWorld {
  readonly misdeeds: Misdeeds = { strangers: [], complaints: [] };
  private isUp = true;

  private constructor(
    readonly product: Product,
    readonly door: FrontDoor,
    private readonly browser: Browser,
  ) {}

  static async start(options: ProductOptions = {}): Promise<ConsoleWorld> {
    const { ensureBrowser, BROWSER_FLAGS } = (await import(
      join(__dirname, '../../scripts/ensure-browser.mjs')
    )) as { ensureBrowser: () => string; BROWSER_FLAGS: string[] };
    const product = await Product.start(options);
    const holder: { world?: ConsoleWorld } = {};
    const door = await FrontDoor.open(() =>
      holder.world?.isUp ? Number(new URL(product.url).port) : undefined,
    );
    const browser = await chromium.launch({ executablePath: ensureBrowser(), args: BROWSER_FLAGS });
    holder.world = new ConsoleWorld(product, door, browser);
    return holder.world;
  }

  /** A fresh tab of a fresh browser profile; with a key it is signed in already. */
  async open(path: string, key?: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(this.door.url) && !url.startsWith('blob:')) this.misdeeds.strangers.push(url);
    });
    page.on('pageerror', (error) => this.misdeeds.complaints.push(String(error)));
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) this.misdeeds.complaints.push(message.text());
    });
    if (key) {
      await page.addInitScript(`sessionStorage.setItem('questline.key', ${JSON.stringify(key)})`);
    }
    await page.goto(this.door.url + path);
    return page;
  }

  /** As when the process is killed: lines cut, nobody answers. */
  async killApi(): Promise<void> {
    this.isUp = false;
    this.door.cut();
    await this.product.shut();
  }

  async startApi(): Promise<void> {
    await this.product.boot();
    this.isUp = true;
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.door.close();
    if (!this.isUp) await this.product.boot();
    await this.product.stop();
  }
}
