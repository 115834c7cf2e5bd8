/* SPDX-License-Identifier: MIT */
/* Made by tools/gaussian_table.py: do not edit. Cells of 1/16 on [0, 4): cut c is the
   chance of a cell up to c, to 16 bits (cut_head, closed by a guard) and to 256 more
   (cut_rest). cell_guide[b] counts the heads below 256 b.
   Proof: docs/proofs/tacit_noise_exact.md */
#ifndef TACIT_VAULT_GAUSSIAN_TABLE_H
#define TACIT_VAULT_GAUSSIAN_TABLE_H

#include <stdint.h>

enum { CELL_BITS = 4, CELLS = 64, CUT_WORDS = 4 };

static const uint16_t cut_head[CELLS + 1] = {
    0x0c74, 0x18e3, 0x253e, 0x317c, 0x3d8e, 0x496b, 0x5507, 0x6059, 0x6b57, 0x75f9,
    0x8038, 0x8a0d, 0x9374, 0x9c68, 0xa4e7, 0xaced, 0xb47b, 0xbb91, 0xc22e, 0xc856,
    0xce0a, 0xd34d, 0xd824, 0xdc93, 0xe09e, 0xe44b, 0xe79e, 0xea9e, 0xed50, 0xefb9,
    0xf1de, 0xf3c6, 0xf576, 0xf6f2, 0xf83f, 0xf963, 0xfa61, 0xfb3d, 0xfbfb, 0xfc9e,
    0xfd2a, 0xfda2, 0xfe07, 0xfe5e, 0xfea6, 0xfee3, 0xff17, 0xff41, 0xff65, 0xff82,
    0xff9a, 0xffae, 0xffbe, 0xffcb, 0xffd6, 0xffdf, 0xffe6, 0xffeb, 0xfff0, 0xfff3,
    0xfff6, 0xfff8, 0xfffa, 0xfffb, 0xffff};

static const uint64_t cut_rest[CELLS][CUT_WORDS] = {
    {0xa845142db0834623, 0x346ef1cc91f95733, 0xf8b605f090591ecc, 0xaca7cd987ccbcedd},
    {0x17c458740d89ebc2, 0xe6975eb29082d699, 0x5f7fa3ae4dd8bf91, 0x2467e1c722b23deb},
    {0xef919fc2f8917a52, 0x1e7692d8336e834e, 0x7be035f2e6a49792, 0xa2046f493268bd9a},
    {0x08424d27e7e93014, 0x76faae21f15cee73, 0x87f0e1ddc13fbeaa, 0x7f31cad4fe1f878f},
    {0x95bb9f22e96743f3, 0x7f6e0f1bc3be54f4, 0x58bb7ecf1e5fd36f, 0xaa6b92affc3b14a5},
    {0x493d9b60a07a6abd, 0x46dac0d3f09f895f, 0x58c62cdcbacbcc2b, 0xd81b39e7c4188340},
    {0x71073ce5dc0a4e05, 0x73553a031621a8b8, 0x3611537f0904c827, 0xd46d83b78f8643e5},
    {0x1500fd74d642539d, 0xd2a87daf123a919f, 0x05af04d27447288b, 0x969a46a7ab4fa156},
    {0x0feeffe00d93fbf4, 0xbd2d10acb2658980, 0x3df2cf23c1126d4e, 0x36a7e769e89be354},
    {0x24c35479c9ec7542, 0xad70bd2c45822cea, 0xd29c20b4bb3c1a62, 0x6d5cfe51c89affa6},
    {0x0fc243ceab1c1e15, 0xe9c72c3435dfbbd7, 0x0ad3876c1bee0291, 0x88913956c3da0fcc},
    {0x9345680acf1f5131, 0xc85846bb8fc6178c, 0xef37642dabfec75d, 0x56701d8b770f70dd},
    {0x8005c5ca86c89ffe, 0x8a54f1b17f563053, 0x0711645b01926a7a, 0xddae6d58124f80f6},
    {0xb8f02e9c9667be3a, 0xb1490848963844c2, 0xd307174b2fc9ada0, 0x556507814f27fb0c},
    {0x32a13158d7b760e7, 0x0e4913a720203e73, 0xd8f165205e9fdb34, 0x71c2d603ca607919},
    {0xeebdf7ac44d101cd, 0x239b4bb67acbab9c, 0xc10bfe47878804f8, 0xea5bff4323f8c1c5},
    {0xf375064568c1eaa3, 0x983fd2e9efd635b5, 0x9eeb931059f7eb0b, 0xa6f1e8c019229d2e},
    {0x3f845ceded8e09c0, 0x3c0b71394674bc88, 0xcbaa9e6b6032a6a9, 0xd9d618bcc4663532},
    {0xbb31860c6e3ff250, 0x9173d29b75d89a91, 0x3771533afdd3e41e, 0x36b593278f4baa7c},
    {0x26ab7d968d0f7509, 0xf78c00aa9c366917, 0x931562a0ff17cd4b, 0x909ec65549a5d502},
    {0x0655d6b0a02e5802, 0xab0a047ca3a1331d, 0x12c05f8ef672e40b, 0x57396a32b096fe04},
    {0x8d8030ab13092ede, 0x6362848a356c02a1, 0xc5411ce99fa61538, 0xfc4219abdaefcbb1},
    {0x880d04492994aec8, 0x6ff085469a9c6358, 0x3e42d733253c2e90, 0x9f8938181366e8fd},
    {0x43875b3811e05bbd, 0xec3e13d30c687a9a, 0x935e19718be729bf, 0xfe504694ee8e99a7},
    {0x78207837193d0c44, 0xd439d3308f0611dc, 0x33632bd772ee0ac3, 0x6f218844ceb8fd3d},
    {0x3205453a2e611c7e, 0x1da59a0877cc3e82, 0xcf4637e16791f770, 0xe95c24cc7f991489},
    {0xbb700264ff31430b, 0x8d4272a2b0937083, 0xd0a147c667bdcf5e, 0x1e638c1432eb510c},
    {0x87cdb207b3d9c041, 0xaf03e24224ff3820, 0x3acfdcbba54c0508, 0xf02938157a4b1200},
    {0x2040a257b61d308a, 0x7b88f63adae123ad, 0x10b5485de1f6410a, 0xf826e9f706dc1a9c},
    {0x11bac26e87966dad, 0x755c77cf185c7289, 0xe7cfe6f3325be632, 0x619268c06917f6ce},
    {0xdcdba2d50b6d00e9, 0xf3eff19fe392adbf, 0xc9bc8acd9bcc4ee8, 0xb5f7a3b1ea7f3487},
    {0xe7af8cfcaa807fa7, 0x19fd652eefd4229f, 0xcd0e88fb97ee5fe3, 0xd4f6ac9260d2f82b},
    {0x715f649864749e8a, 0x175f95c1e8abd90e, 0xf06ab299169ac056, 0xefb9f95ab5f78e71},
    {0x87d45d50db6ce7df, 0x6963a7cbfacf0d16, 0x3e25025d7903c6b3, 0x403af8c37f8277c3},
    {0xff47386ab470172c, 0xa9af9d56c9c68ead, 0x2d2f1459af48f0d8, 0x2c2402f71b3a2efc},
    {0x6ba8e7e36ad9f2c4, 0xe9ce7e0c37f67c94, 0x6fdd8565a2ed501c, 0xbd0df5bf6bd63851},
    {0x1bca3c7957b2ae60, 0xe16b211ec7969257, 0x022cc0090753946d, 0x8e889c23086544d4},
    {0x1621b635e110d911, 0xc2310985e772790f, 0xa771f13d3693af81, 0x3e2bb38577ed46ce},
    {0x1709a820e27a252b, 0xc1f5048c3d2a5e7d, 0x4539335814500527, 0x2771402729099c17},
    {0x904d8f0f397f8e1c, 0x165c77302019064e, 0x487ec062cdb46178, 0xee698f1bae74cfc3},
    {0xa9dba52cd38e8552, 0x7002bf1bb88e0f71, 0x47154af8476a503f, 0x6627d5e48c2b928b},
    {0x436f3b6bf034a261, 0x3b2fd6929198245a, 0xbb1cd67ba72c15d6, 0x417a09835c857718},
    {0xf7090ca65ce9cd9b, 0xf4d5ac6ee6b4407a, 0xc1358b335e9421f2, 0xa92eba034bbb576e},
    {0x1c0c65640bc29623, 0xac262f26652e58f7, 0x4eff44dd48a912b6, 0xf4fc7deacccde0c2},
    {0xcada6eaf95d4858f, 0x801bedf49978f5ae, 0x080b5fb690ba19f4, 0xe6b0457ef2662b5a},
    {0xe0c7fa482a214564, 0x3ff22c4077b1cea5, 0xf9cb0c38d56f6279, 0xabd9c51b158162b1},
    {0x044dacff5a8b5035, 0x3e1c620280ffb7f6, 0x02261e65bb416b77, 0xfb4dcdbee22299b2},
    {0xa95626a922d7af71, 0xc49ca4a7c34cafe7, 0x658ba38075f129cd, 0x8e270a282b970f66},
    {0x1591a79325f82dfc, 0x0d6dc234b0f34892, 0x7fc44d434f816d43, 0x82e5b5dada68ccc6},
    {0x64ba90e65c639340, 0xbc36362ce4e504b4, 0xb00b4dbde7552c3c, 0x64ac09316a261bb9},
    {0x8cb9dbf8ba7352fd, 0x580e08e4074b7d46, 0x2ace9e9bcbebedd5, 0x6c60337866c870a1},
    {0x619e2e453bd5fb1c, 0x153a8a0a4cb4799a, 0x66b7aa37d58f4679, 0xe4225e4d68ce6ddf},
    {0x995b73bfec772894, 0x7f542b05f3fd37f7, 0x140d839b648f5748, 0xba6173a424b00b41},
    {0xcf4bdbdc73eb7142, 0xe56b16888d538860, 0xb5616078a2a344aa, 0xd4b7b24c458e2abd},
    {0x876dafd19f78de4d, 0x9d9c7076a33dae77, 0x2e09c799425741fa, 0xdff9e03942446434},
    {0x315bb76b14d479b8, 0x98c15ae1f54d8d11, 0x2b298062128d686b, 0x602e6b69adec9e0d},
    {0x2affc58381ec15b3, 0x34cb8015bc960cdb, 0x2cf4d76e073f868a, 0x708fc634a2ca7ade},
    {0xc30091494c35acc2, 0xfd415ccbafa85aff, 0x7db56e776cf291de, 0x748573baf4cc758e},
    {0x3aed3b1cc53496de, 0x0713162a616d504d, 0xa1849c923ebf7bea, 0x2616800fb111ca89},
    {0xc929ca221c28d2ea, 0xd30a57879b09badc, 0x82d285826408092f, 0x2a378bfebbc29d22},
    {0x9aa09a8a462e8385, 0x909a5cfcd4372e86, 0x8daa277a2ac1f2b8, 0x067fce1da8798c65},
    {0xd43d24a8c9684004, 0xe721aec7c3ebeef6, 0x1b04e00b4c90104a, 0x30077d9c1878477e},
    {0x9434c2d8fe6cc070, 0x949612ca10cedbcb, 0x08e6a6497c15e3c1, 0x75c3add21b655151},
    {0xf322307bf7f6b8f8, 0x40b2f69c921e4fca, 0xe91395cdb3857f0d, 0xac0a7a84f6e062c3},
};

static const uint8_t cell_guide[256] = {
    0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  1,  1,  1,  1,  1,  1,  1,
    1,  1,  1,  1,  1,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  2,  3,  3,
    3,  3,  3,  3,  3,  3,  3,  3,  3,  3,  4,  4,  4,  4,  4,  4,  4,  4,  4,  4,
    4,  4,  5,  5,  5,  5,  5,  5,  5,  5,  5,  5,  5,  5,  6,  6,  6,  6,  6,  6,
    6,  6,  6,  6,  6,  6,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  8,  8,  8,
    8,  8,  8,  8,  8,  8,  8,  8,  9,  9,  9,  9,  9,  9,  9,  9,  9,  9,  10, 10,
    10, 10, 10, 10, 10, 10, 10, 10, 10, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 12,
    12, 12, 12, 12, 12, 12, 12, 12, 13, 13, 13, 13, 13, 13, 13, 13, 13, 14, 14, 14,
    14, 14, 14, 14, 14, 15, 15, 15, 15, 15, 15, 15, 15, 16, 16, 16, 16, 16, 16, 16,
    16, 17, 17, 17, 17, 17, 17, 17, 18, 18, 18, 18, 18, 18, 18, 19, 19, 19, 19, 19,
    19, 20, 20, 20, 20, 20, 20, 21, 21, 21, 21, 21, 22, 22, 22, 22, 22, 23, 23, 23,
    23, 24, 24, 24, 24, 25, 25, 25, 25, 26, 26, 26, 27, 27, 27, 28, 28, 28, 29, 29,
    30, 30, 31, 31, 32, 32, 33, 34, 34, 35, 36, 37, 39, 40, 42, 46};

#endif
