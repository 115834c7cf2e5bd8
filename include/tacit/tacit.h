/* SPDX-License-Identifier: MIT */
#ifndef TACIT_H
#define TACIT_H

/*
 * Tacit: differentially private models in one pass over the data.
 *
 *   tacit_config config;
 *   tacit_config_init(&config);
 *   config.epsilon = 1; config.rows = n; config.schema = schema;
 *   tacit_train_new(&config, &train, &err);     … tacit_train_run(train, reader, &err);
 *   tacit_train_finish(train, &model, &err);    … tacit_model_save(model, "m.json",
 * &err);
 */
#include <tacit/account.h>
#include <tacit/catalog.h>
#include <tacit/config.h>
#include <tacit/data.h>
#include <tacit/files.h>
#include <tacit/gradient.h>
#include <tacit/group.h>
#include <tacit/learner.h>
#include <tacit/loss.h>
#include <tacit/model.h>
#include <tacit/order.h>
#include <tacit/output.h>
#include <tacit/plan.h>
#include <tacit/status.h>
#include <tacit/train.h>
#include <tacit/version.h>

#endif
