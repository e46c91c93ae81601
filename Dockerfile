# Built once, run as api, worker or emulator: see docker-compose.yml for the command of each.
FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build

FROM node:20-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# The embedded Postgres is for machines without containers.
RUN npm ci --omit=dev --omit=optional

FROM node:20-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/package.json ./package.json
COPY --from=build /app/samples ./samples
COPY --from=build /app/docs/errors ./docs/errors
RUN mkdir -p /data/recordings && chown -R node:node /data
USER node
VOLUME /data
EXPOSE 3000
CMD ["node", "dist/apps/api/src/main.js"]
